import { html, type Html } from './html-text.ts';
import { htmlTable, withSmall } from './html-table.ts';
import { reasonsText } from './headline.ts';
import { replicaChart } from './html-intervals.ts';
import { againstText, changeText, evaluationsText, scoresText } from './phrases.ts';
import type { BestNode, ReportModel, StageReport } from './schema.ts';
import { numberOrDash, numberText, rangeText, titleText, valueText } from './words.ts';

/** The top of `report.html`: the figures a stranger looks for first, and the best program. */

/** Four cards: what was found, how sure that is, what failed, what it took. */
export function cards(model: ReportModel): Html {
  const { counts, best, run, stages } = model;
  const reasons = reasonsText(stages.flatMap(({ failures }) => failures)).replace(/^: /, '');
  const failed = html`<span class="bad">${counts.buggy} failed</span>: ${reasons}`;
  return html`<div class="cards">
    ${best === null ? null : bestCards(best, run.metric.name, stages)}
    ${card('Nodes', String(counts.nodes), counts.buggy === 0 ? 'none failed' : failed)}
    ${card('Evaluations', String(counts.evaluations), evaluationsText(counts).replace(/^.*?: /, ''))}
  </div>`;
}

/** The fresh seeds of the stage that made the best node, which is where its gain can be seen; `null` without any. */
export function surest({ best, stages, run }: ReportModel): Html | null {
  const made = stages.find(({ name, best: winner }) => name === best?.madeIn && winner?.node === best.node);
  return made === undefined ? null : replicaChart(made, run.metric.name);
}

/** The best program: parameters, where it lies, and the way to it. */
export function bestSection(best: BestNode | null): Html | null {
  if (best === null) return null;
  return html`<section aria-labelledby="best">
    <h2 id="best">The best program</h2>
    <p>
      <b>${best.node}</b> ${best.label}, made by ${best.operator} in ${titleText(best.madeIn).toLowerCase()}.
      ${
        best.kept
          ? html`The program lies in <a href="best/">best/</a>, with a line to run it by hand (<a href="best/README.md"
                >README.md</a
              >).`
          : 'Its program could not be read.'
      }
      Logs and results: <a href="${best.folder}/">${best.folder}/</a>.
    </p>
    ${best.scores.length > 1 ? html`<p class="small">On the search seed: ${scoresText(best.scores)}.</p>` : null}
    ${parameters(best)}
    <h3>How it came about</h3>
    <ol class="plain">
      ${best.lineage.map(
        (step) =>
          html`<li>
            <b>${step.node}</b> <span class="soft">${step.operator}</span> ${step.label}: ${numberOrDash(step.metric)}
            <span class="soft">on ${step.datasets.join(', ')}</span>
            <div class="small soft"><code>${step.changes.map(changeText).join(', ')}</code></div>
          </li>`,
      )}
    </ol>
  </section>`;
}

/** One row per stage: what it brought. */
export function glance({ stages, run }: ReportModel): Html | null {
  const rows = stages.map((stage) => [
    withSmall(html`<a href="#${stage.name}">${stage.number}. ${titleText(stage.name)}</a>`, stage.datasets.join(', ')),
    html`${stage.counts.nodes} ${stage.counts.buggy > 0 ? html`<span class="bad">(${stage.counts.buggy} failed)</span>` : null}`,
    stage.best === null ? '–' : html`<b>${stage.best.node}</b> ${stage.best.label}`,
    numberOrDash(stage.best?.metric ?? null),
    freshCell(stage),
    html`<span class="${stage.best?.againstCarried?.verdict ?? 'soft'}">${againstText(stage)}</span>`,
  ]);
  const head = ['stage', 'nodes', 'best', `${run.metric.name}, search seed`, 'mean over fresh seeds', 'against the carried node'];
  return htmlTable('Values of stages with different datasets are not comparable.', head, rows);
}

function freshCell({ best }: StageReport): Html {
  if (best === null) return html`–`;
  const { mean, low, high, n } = best.estimate;
  if (mean === null) return html`<span class="unknown">not replicated</span>`;
  const interval = low === null || high === null ? 'no interval' : rangeText(low, high);
  return withSmall(numberText(mean), html`<span class="num">${interval}</span>, n = ${n}`);
}

function bestCards(best: BestNode, metric: string, stages: readonly StageReport[]): Html {
  const { mean, low, high, n } = best.estimate;
  const interval = low === null || high === null ? 'not replicated' : `95 % interval ${rangeText(low, high)}`;
  const seeds = mean === null ? 'on the search seed alone' : `mean over ${n} fresh ${n === 1 ? 'seed' : 'seeds'}`;
  const made = stages.find(({ name }) => name === best.madeIn)?.best;
  const against = made?.node === best.node ? made.againstCarried : null;
  const words = { better: 'better', worse: 'worse', noise: 'noise', unknown: 'not replicated' };
  return html`${card(`Best ${metric}`, numberText(mean ?? best.metric), html`${interval}; ${seeds}`)}
  ${against === null ? null : card(`Gain over ${against.node}, carried in`, html`<span class="${against.verdict}">${words[against.verdict]}</span>`, against.text)}`;
}

function card(title: string, big: Html | string, text: Html | string): Html {
  return html`<div class="card">
    <h3>${title}</h3>
    <div class="big">${big}</div>
    <div class="small soft">${text}</div>
  </div>`;
}

function parameters({ parameters: changed }: BestNode): Html | null {
  if (changed === null) return html`<p class="soft">Its parameters could not be read.</p>`;
  if (changed.length === 0) return html`<p>Every parameter is at the task’s default.</p>`;
  const rows = changed.map(({ key, value, initial, about }) => [
    html`<code>${key}</code>`,
    html`<code>${valueText(value)}</code>`,
    html`<code>${valueText(initial)}</code>`,
    about,
  ]);
  return htmlTable('Parameters that differ from the task’s defaults', ['parameter', 'value', 'default', 'what it is'], rows);
}
