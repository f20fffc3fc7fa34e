import { estimateText } from './headline.ts';
import { progressChart } from './html-charts.ts';
import { gainBar, gainScale, replicaChart } from './html-intervals.ts';
import { htmlTable, plainList, withSmall } from './html-table.ts';
import { html, type Html } from './html-text.ts';
import { htmlTree } from './html-tree.ts';
import { endingText, evaluationsText, nodesList, nodesText, scoresText, type FigureFiles } from './phrases.ts';
import type { Ablation, HeldAgainst, ReportModel, StageBest, StageReport } from './schema.ts';
import { numberOrDash, numberText, titleText } from './words.ts';

/** The section of one stage in `report.html`. */
export function htmlStage(stage: StageReport, { run }: ReportModel, figures: FigureFiles): Html {
  const { name } = run.metric;
  const chart = progressChart(stage, name, run.metric.direction);
  return html`<section aria-labelledby="${stage.name}">
    <h2 id="${stage.name}">${stage.number}. ${titleText(stage.name)}</h2>
    <p class="soft">Goal: ${stage.goal}. ${endingText(stage)}</p>
    ${stage.tree.length === 0 ? null : [bestOf(stage, name), replicaChart(stage, name), ablationTable(stage.ablations, name), search(stage, chart)]}
    ${losses(stage)} ${plainList('Changed by a person', stage.steered)} ${pictures(stage, figures)}
  </section>`;
}

function bestOf({ best, blame }: StageReport, metric: string): Html {
  if (best === null) return html`<p class="bad">No good node.${blame === null ? '' : ` ${blame}.`}</p>`;
  const scores = best.scores.length > 1 ? ` (${scoresText(best.scores)})` : '';
  return html`<p>
      Best: <b>${best.node}</b> ${best.label}${best.carried ? ', the node that was carried in' : ''}. Fresh seeds: ${metric}
      <b>${estimateText(best.estimate)}</b>. Search seed: ${numberText(best.metric)}${scores}.
    </p>
    ${comparisons(best)}`;
}

function comparisons({ againstParent, againstCarried }: StageBest): Html | null {
  const line = (what: string, held: HeldAgainst): Html =>
    html`<li>Against ${what} ${held.node}: <span class="${held.verdict}">${held.text}</span></li>`;
  const same = againstParent !== null && againstParent.node === againstCarried?.node;
  if (againstParent === null && againstCarried === null) return null;
  return html`<ul class="plain">
    ${againstParent === null ? null : line(same ? 'its parent, the carried' : 'its parent', againstParent)}
    ${againstCarried === null || same ? null : line('the carried', againstCarried)}
  </ul>`;
}

function ablationTable(ablations: readonly Ablation[], metric: string): Html | null {
  const x = gainScale(ablations);
  const rows = ablations.map((row) => [
    withSmall(html`<code>${row.component}</code>`, row.node),
    numberOrDash(row.metric),
    row.estimate.n === 0 ? 'not replicated' : estimateText(row.estimate),
    gainBar(row, x) ?? '',
    html`<span class="${ablationTone(row)}">${row.meaning}</span>`,
  ]);
  const caption =
    'The program without one component. Bar: 95 % interval of the gain without it; left of the dashed zero it is needed. Hollow: one seed only.';
  const table = htmlTable(caption, ['without', `${metric}, search seed`, 'fresh seeds', 'gain without it', 'verdict'], rows);
  return table === null
    ? null
    : html`<h3>What each component is worth</h3>
        ${table}`;
}

/** A component that is needed is no bad news; one that does harm is. */
function ablationTone({ failure, against }: Ablation): string {
  if (failure !== null || against?.verdict === 'better') return 'bad';
  return against?.verdict === 'worse' ? 'strong' : 'noise';
}

function search(stage: StageReport, chart: Html | null): Html {
  return html`<h3>Search</h3>
    <p class="small soft">
      ${nodesText(stage.counts)} (at most ${stage.maxNodes}). ${evaluationsText(stage.counts)}. Datasets:
      ${stage.datasets.join(', ')}.
    </p>
    ${chart} ${htmlTree(stage.tree, `Tree of ${titleText(stage.name).toLowerCase()}`)}`;
}

function losses({ failures, troubles, dropped }: StageReport): Html | null {
  if ([failures, troubles, dropped].every(({ length }) => length === 0)) return null;
  const failed = failures.map(({ reason, text, count, nodes, example }) => [
    withSmall(html`<span class="bad">${reason}</span>`, text),
    count,
    nodesList(nodes),
    example,
  ]);
  const lost = dropped.map(({ reason, text, count, example }) => [withSmall(reason, text), count, example]);
  return html`<h3>What failed and what was dropped</h3>
    ${htmlTable('Failed nodes by reason', ['reason', 'nodes', 'which', 'for example'], failed)}
    ${htmlTable('Items that made no node, by reason', ['reason', 'items', 'for example'], lost)}
    ${plainList('Also failed', troubles)}`;
}

function pictures({ figures }: StageReport, files: FigureFiles): Html | null {
  const found = figures.flatMap(({ node, dataset, seed, folder }) =>
    (files.get(folder) ?? []).map(({ name, href, dataUri }) => {
      const text = `${node}, ${dataset}, seed ${seed}: ${name}`;
      return html`<figure>
        <a href="${href}"><img src="${dataUri ?? href}" alt="${text}" loading="lazy" /></a>
        <figcaption>${text}</figcaption>
      </figure>`;
    }),
  );
  return found.length === 0
    ? null
    : html`<h3>Figures</h3>
        <div class="pics">${found}</div>`;
}
