import { rmSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { listRuns, readEvents } from '../src/adapters/run-store.ts';
import type { EvaluationRecord } from '../src/domain/evaluation.ts';
import { freshCheckout } from '../test/support/fresh-checkout.ts';
import { runProduct, untilQuiet } from './support/product.ts';

/**
 * `npm run bench -- quick [RUNS]`: `npm start` in a checkout as it is right after set-up, each time a new one, with
 * nothing bundled, cached or run before. Prints the time to the first scored node and to the end, and what was
 * done in that time.
 */

interface Measured {
  readonly firstS: number;
  readonly endS: number;
  readonly nodes: number;
  readonly evaluations: number;
}

/** A node as it lands with a score; a replica or a carried node comes later. */
const SCORED = /^[* ] n\d+ +draft .* good /;

async function measure(): Promise<Measured> {
  const root = freshCheckout();
  let first: number | undefined;
  try {
    const onLine = (line: string, ms: number): void => {
      if (SCORED.test(line)) first ??= ms;
    };
    const end = await runProduct({ command: 'npm', args: ['start'], cwd: root, onLine });
    if (first === undefined) throw new Error('no node was scored');
    return { firstS: first / 1000, endS: end / 1000, ...(await counts(root)) };
  } finally {
    await untilQuiet({ root });
    rmSync(dirname(root), { recursive: true, force: true });
  }
}

async function counts(root: string): Promise<Pick<Measured, 'nodes' | 'evaluations'>> {
  const [run = ''] = await listRuns({ root });
  const events = await readEvents({ root }, run);
  const records = events.flatMap<EvaluationRecord>((event) => ('evaluations' in event ? event.evaluations : []));
  return {
    nodes: events.filter(({ kind }) => kind === 'node').length,
    evaluations: records.filter(({ result }) => !result.cached).length,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
}

function text({ firstS, endS, nodes, evaluations }: Measured): string {
  return `first scored node ${firstS.toFixed(1)} s, end ${endS.toFixed(1)} s, ${nodes} nodes, ${evaluations} evaluations`;
}

const runs = Number(process.argv[2] ?? 3);
const all: Measured[] = [];
console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1) ?? ''}`);
for (let run = 1; run <= runs; run++) {
  const measured = await measure();
  all.push(measured);
  console.log(`run ${run}: ${text(measured)}`);
}
const of = (key: keyof Measured): number => median(all.map((measured) => measured[key]));
console.log(
  `median of ${runs}: ${text({ firstS: of('firstS'), endS: of('endS'), nodes: of('nodes'), evaluations: of('evaluations') })}`,
);
