import { estimateText } from './headline.ts';
import { html, type Html } from './html-text.ts';
import { changeText, scoresText, stateText } from './phrases.ts';
import type { TreeRow } from './schema.ts';
import { numberText } from './words.ts';
import { durationText } from '../domain/duration.ts';

/** Lists nested in each other at most: a browser stops at 512, and a phone has no room for more. */
const MAX_DEPTH = 12;

/** The tree of a stage as nested lists; rows come parents first. */
export function htmlTree(rows: readonly TreeRow[], label: string): Html {
  // From the last row up, every row finds its children's list items complete one level below its own.
  const levels = new Map<number, Html[]>();
  for (const row of rows.toReversed()) {
    const depth = Math.min(row.depth, MAX_DEPTH);
    const below = levels.get(depth + 1) ?? [];
    levels.delete(depth + 1);
    const list =
      below.length === 0
        ? null
        : html`<ul>
            ${below}
          </ul>`;
    levels.set(depth, [html`<li>${treeNode(row)}${list}</li>`, ...(levels.get(depth) ?? [])]);
  }
  return html`<ul class="tree" aria-label="${label}">
    ${[...levels.values()]}
  </ul>`;
}

function treeNode(row: TreeRow): Html {
  const changes = row.carried ? '' : row.changes.map(changeText).join(', ');
  const from = row.depth > MAX_DEPTH && row.parent !== null ? html`<span class="soft">from ${row.parent}</span>` : null;
  return html`<details class="${row.best ? 'node top' : 'node'}">
    <summary>
      <span class="${row.failure === null ? 'good' : 'bad'}" aria-hidden="true">${row.failure === null ? '✓' : '✗'}</span>
      <b>${row.node}</b> <span class="soft">${row.operator}</span> ${from} ${row.label}
      ${row.metric === null ? null : html`<b class="value">${numberText(row.metric)}</b>`} ${badges(row)}
      ${changes === '' ? null : html`<div class="small soft"><code>${changes}</code></div>`}
    </summary>
    ${details(row)}
  </details>`;
}

function badges(row: TreeRow): Html {
  const state =
    row.failure === null ? null : html` <span class="bad small">${stateText({ ...row, best: false, carried: false })}</span>`;
  const best = row.best ? html` <span class="badge good">best</span>` : null;
  const carried = row.carried ? html` <span class="badge soft">carried</span>` : null;
  const pruned = row.pruned === true && row.failure === null ? html` <span class="badge soft">pruned</span>` : null;
  return html`${state}${best}${carried}${pruned}`;
}

function details(row: TreeRow): Html {
  const lines: [string, string][] = [
    ['Plan', row.plan],
    ['Failure', row.failure?.message ?? ''],
    ['By dataset', scoresText(row.scores)],
    [
      'Fresh seeds',
      row.estimate.n === 0
        ? ''
        : `${estimateText(row.estimate)}: ${row.estimate.values.map(({ value }) => numberText(value)).join(', ')}`,
    ],
    ['Failed seeds', row.estimate.failed === 0 ? '' : String(row.estimate.failed)],
    ['Device time', durationText(row.durationMs)],
  ];
  return html`<div class="small soft about">
    ${lines.filter(([, text]) => text !== '').map(([name, text]) => html`<div>${name}: ${text}</div>`)}
    <div><a href="${row.folder}/">program, logs and results</a></div>
  </div>`;
}
