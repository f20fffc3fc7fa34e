import { nodeNumber } from '../domain/ids.ts';
import { compareValues, type Direction } from '../domain/metric.ts';
import { html, type Html } from './html-text.ts';
import type { StageReport, TreeRow } from './schema.ts';
import { linearScale, pixel, ticks, type Scale } from './scale.ts';
import { numberText } from './words.ts';

/** The course of a stage: the metric of each node in the order in which they were made, and the best so far. */

const WIDTH = 420;
const HEIGHT = 150;
const LEFT = 48;
const RIGHT = 8;
const TOP = 8;
/** Where failed nodes are marked, below every value. */
const FAILED_Y = 128;
const BOTTOM = 116;
/** Node numbers at most below the chart, so that they do not touch. */
const MAX_LABELS = 14;

/** A chart of a stage's nodes; `null` where fewer than 2 have a value. */
export function progressChart(stage: StageReport, metric: string, direction: Direction): Html | null {
  const rows = stage.tree.filter(({ carried }) => !carried).toSorted((a, b) => nodeNumber(a.node) - nodeNumber(b.node));
  const carried = stage.tree.find((row) => row.carried)?.metric ?? null;
  const values = [...rows.map((row) => row.metric), carried].filter((value) => value !== null);
  if (values.length < 2) return null;
  const y = linearScale(values, [BOTTOM, TOP]);
  const x = (index: number): number => LEFT + ((index + 0.5) * (WIDTH - LEFT - RIGHT)) / rows.length;
  return html`<figure>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" class="chart" role="img" aria-label="${chartLabel(rows, metric)}">
      ${gridLines(y)} ${carried === null ? null : carriedLine(y(carried))}
      <path class="path" d="${bestPath(rows, carried, { x, y, direction })}" />
      ${rows.map((row, index) => mark(row, x(index), row.metric === null ? FAILED_Y : y(row.metric)))} ${labels(rows, x)}
    </svg>
    <figcaption>
      ${metric} on the search seed, in the order of the nodes. Line: the best so far. Filled: the best. ✗:
      failed.${carried === null ? '' : ' Dashed: the node carried into the stage.'}
    </figcaption>
  </figure>`;
}

/** Lines with their values at round numbers. */
function gridLines(y: Scale): Html[] {
  return ticks(y.domain, 4).map(
    (value) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${pixel(y(value))}" y2="${pixel(y(value))}" />
        <text x="${LEFT - 6}" y="${pixel(y(value) + 4)}" text-anchor="end">${numberText(value)}</text>`,
  );
}

function carriedLine(at: number): Html {
  return html`<line class="base" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${pixel(at)}" y2="${pixel(at)}" />`;
}

function mark(row: TreeRow, x: number, y: number): Html {
  const title = html`<title>${row.node} ${row.label}: ${row.metric === null ? 'failed' : numberText(row.metric)}</title>`;
  if (row.metric === null) {
    return html`<path class="cross" d="M${pixel(x - 3)} ${pixel(y - 3)}l6 6m0 -6l-6 6">${title}</path>`;
  }
  return html`<circle class="${row.best ? 'dot top' : 'dot'}" cx="${pixel(x)}" cy="${pixel(y)}" r="${row.best ? 4.5 : 3.2}"
    >${title}</circle
  >`;
}

/** Steps along the best value so far, from the carried one. */
function bestPath(
  rows: readonly TreeRow[],
  carried: number | null,
  at: { x: (index: number) => number; y: Scale; direction: Direction },
): string {
  let best = carried;
  const steps = best === null ? [] : [`M${LEFT} ${pixel(at.y(best))}`];
  for (const [index, { metric }] of rows.entries()) {
    if (compareValues(at.direction, metric, best) >= 0 || metric === null) continue;
    steps.push(
      best === null ? `M${pixel(at.x(index))} ${pixel(at.y(metric))}` : `H${pixel(at.x(index))} V${pixel(at.y(metric))}`,
    );
    best = metric;
  }
  return steps.length === 0 ? '' : `${steps.join(' ')} H${WIDTH - RIGHT}`;
}

function labels(rows: readonly TreeRow[], x: (index: number) => number): Html[] {
  const every = Math.ceil(rows.length / MAX_LABELS);
  return rows.flatMap((row, index) =>
    index % every === 0 ? [html`<text x="${pixel(x(index))}" y="${HEIGHT - 4}" text-anchor="middle">${row.node}</text>`] : [],
  );
}

function chartLabel(rows: readonly TreeRow[], metric: string): string {
  const failed = rows.filter((row) => row.metric === null).length;
  const best = rows.find((row) => row.best);
  const top =
    best?.metric === null || best === undefined
      ? 'none better than the carried one'
      : `best ${best.node} with ${numberText(best.metric)}`;
  return `${metric} of ${rows.length} nodes, ${failed} failed, ${top}`;
}
