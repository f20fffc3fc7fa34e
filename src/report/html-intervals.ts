import { html, type Html } from './html-text.ts';
import { linearScale, pixel, ticks, type Scale } from './scale.ts';
import type { Ablation, StageReport, TreeRow } from './schema.ts';
import { numberText } from './words.ts';

/** How sure the numbers are, drawn: fresh seeds with mean and interval by node, and gains around zero. */

const WIDTH = 420;
const LEFT = 48;
const RIGHT = 14;
const ROW = 26;
/** Rows at most; the best ones are shown. */
const MAX_ROWS = 12;

/** The replicated nodes of a stage on one scale; `null` when there is none with 2 fresh seeds. */
export function replicaChart(stage: StageReport, metric: string): Html | null {
  const rows = stage.tree.filter(({ estimate }) => estimate.n > 1).toSorted((a, b) => Number(b.best) - Number(a.best));
  const shown = rows.slice(0, MAX_ROWS);
  if (shown.length === 0) return null;
  const x = linearScale(shown.flatMap(valuesOf), [LEFT, WIDTH - RIGHT]);
  const height = shown.length * ROW + 26;
  return html`<figure>
    <svg
      viewBox="0 0 ${WIDTH} ${height}"
      class="chart"
      role="img"
      aria-label="${`Fresh seeds of ${shown.map(({ node }) => node).join(', ')} with mean and 95 % interval`}"
    >
      ${axis(x, height)} ${shown.map((row, index) => replicaRow(row, x, index * ROW + ROW / 2))}
    </svg>
    <figcaption>
      ${metric} on fresh seeds: each seed (small dots), their mean (large dot) and its 95 % interval (bar). Diamond: the search
      seed.${rows.length > shown.length ? ` ${rows.length - shown.length} more nodes are in the tree.` : ''}
    </figcaption>
  </figure>`;
}

/** The gain of an ablated program with its interval, on a scale that all rows of the table share. */
export function gainBar({ against }: Ablation, x: Scale): Html | null {
  const at = against?.gain ?? against?.searchSeedGain ?? null;
  if (against === null || at === null) return null;
  const bar =
    against.low === null || against.high === null
      ? null
      : html`<line class="bar" x1="${pixel(x(against.low))}" x2="${pixel(x(against.high))}" y1="11" y2="11" />`;
  return html`<svg viewBox="0 0 160 22" width="160" height="22" role="img" aria-label="${`gain without it ${numberText(at)}`}">
    <line class="base" x1="${pixel(x(0))}" x2="${pixel(x(0))}" y1="0" y2="22" />
    ${bar}
    <circle class="${bar === null ? 'dot' : 'mean'}" cx="${pixel(x(at))}" cy="11" r="4" />
  </svg>`;
}

/** The scale of {@link gainBar}: all gains and intervals of a table, and zero. */
export function gainScale(ablations: readonly Ablation[]): Scale {
  const values = ablations.flatMap(({ against }) =>
    against === null ? [] : [against.gain, against.low, against.high, against.searchSeedGain],
  );
  return linearScale([0, ...values.filter((value) => value !== null)], [4, 156]);
}

function replicaRow(row: TreeRow, x: Scale, y: number): Html {
  const { estimate, node, best, metric } = row;
  const other = best ? '' : ' other';
  const { low, high, mean } = estimate;
  return html`<text class="${best ? 'name strong' : 'name'}" x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${node}</text>
    ${low === null || high === null ? null : html`<line class="bar${other}" x1="${pixel(x(low))}" x2="${pixel(x(high))}" y1="${y}" y2="${y}" />`}
    ${mean === null ? null : html`<circle class="mean${other}" cx="${pixel(x(mean))}" cy="${y}" r="4"><title>mean ${numberText(mean)}</title></circle>`}
    ${estimate.values.map(({ seed, value }) => html`<circle class="seed" cx="${pixel(x(value))}" cy="${y + 8}" r="2"><title>seed ${seed}: ${numberText(value)}</title></circle>`)}
    ${metric === null ? null : html`<path class="diamond" d="M${pixel(x(metric))} ${y - 11}l3 3l-3 3l-3 -3z"><title>search seed: ${numberText(metric)}</title></path>`}`;
}

function axis(x: Scale, height: number): Html[] {
  return ticks(x.domain, 5).map(
    (value) =>
      html`<line class="grid" x1="${pixel(x(value))}" x2="${pixel(x(value))}" y1="0" y2="${height - 18}" />
        <text x="${pixel(x(value))}" y="${height - 5}" text-anchor="middle">${numberText(value)}</text>`,
  );
}

function valuesOf({ estimate, metric }: TreeRow): number[] {
  const ends = [estimate.low, estimate.high, metric].filter((value) => value !== null);
  return [...estimate.values.map(({ value }) => value), ...ends];
}
