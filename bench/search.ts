import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/adapters/project.ts';
import { loadTask } from '../src/adapters/task-file.ts';
import { summarise } from '../src/domain/statistics.ts';
import { freshSeeds, randomSearch, valueOnSeeds, type Valuation } from './support/candidates.ts';
import { runProduct, untilQuiet } from './support/product.ts';
import { readOutcome, unlikeScorer, type RunOutcome } from './support/run-outcome.ts';
import { startScorer } from './support/scorer.ts';

/**
 * `npm run bench -- search [SEEDS [FIRST]]`: is the search worth its evaluations? For each run seed the product
 * really runs (bench/search.yaml); then three programs are valued on seeds that nothing has seen, on the mean of
 * the three datasets: the run's best node, its best draft, and the best of a random search with as many
 * evaluations. Prints each seed and the paired differences with their intervals, whatever they are.
 */

const FRESH_SEEDS = 5;

interface Compared {
  readonly best: number;
  readonly draft: number;
  readonly random: number;
}

async function runOnce(home: string, seed: number): Promise<{ outcome: RunOutcome; seconds: number }> {
  const runId = `search-${seed}`;
  const args = [
    join(PACKAGE_ROOT, 'bin', 'scientist.mjs'),
    'run',
    'bench/search.yaml',
    '--run-id',
    runId,
    '--set',
    `seed=${seed}`,
  ];
  const ms = await runProduct({ command: process.execPath, args, cwd: PACKAGE_ROOT, env: { SCIENTIST_HOME: home } });
  await untilQuiet({ root: home });
  return { outcome: await readOutcome({ root: home }, runId, folder), seconds: ms / 1000 };
}

async function compare(valuation: Valuation, home: string, seed: number): Promise<Compared> {
  const { outcome, seconds } = await runOnce(home, seed);
  const unlike = await unlikeScorer(valuation, outcome);
  if (unlike !== null) throw new Error(`seed ${seed}: ${unlike}`);
  const drawn = await randomSearch(valuation, { seed: outcome.searchSeed, budget: outcome.evaluations });
  const seeds = freshSeeds(seed, FRESH_SEEDS, outcome.seeds);
  const compared = {
    best: await valueOnSeeds(valuation, seeds, outcome.best.parameters),
    draft: await valueOnSeeds(valuation, seeds, outcome.bestDraft.parameters),
    random: await valueOnSeeds(valuation, seeds, drawn.parameters),
  };
  console.log(
    `seed ${seed}: best node ${compared.best.toFixed(4)} (${outcome.best.node}), best draft ${compared.draft.toFixed(4)} (${outcome.bestDraft.node}), ` +
      `random search ${compared.random.toFixed(4)}; ${outcome.evaluations} and ${drawn.spent} evaluations, run of ${seconds.toFixed(0)} s`,
  );
  return compared;
}

function conclusion(rival: string, differences: readonly number[]): string {
  const { mean, interval } = summarise(differences);
  const better = differences.filter((difference) => difference > 0).length;
  const range = interval === null ? 'no interval' : `95 % interval ${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
  const verdict = interval === null ? '' : interval.low > 0 ? ': better' : interval.high < 0 ? ': worse' : ': within the noise';
  return `best node minus ${rival}: mean ${mean?.toFixed(4) ?? '-'}, ${range}, better on ${better} of ${differences.length} seeds${verdict}`;
}

const [count, first] = [Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 0)];
const folder = join(PACKAGE_ROOT, 'experiments', 'digits');
const task = await loadTask(folder);
const scorer = startScorer(task, folder);
const home = mkdtempSync(join(tmpdir(), 'scientist-bench-'));
const all: Compared[] = [];
console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1) ?? ''}; ${FRESH_SEEDS} fresh seeds for each run`);
try {
  for (let seed = first; seed < first + count; seed++) all.push(await compare({ task, scorer }, home, seed));
  console.log(
    conclusion(
      'best draft',
      all.map(({ best, draft }) => best - draft),
    ),
  );
  console.log(
    conclusion(
      'random search',
      all.map(({ best, random }) => best - random),
    ),
  );
} finally {
  scorer.close();
  await untilQuiet({ root: home });
  rmSync(home, { recursive: true, force: true });
}
