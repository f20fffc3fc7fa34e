import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/adapters/project.ts';
import { loadTask } from '../src/adapters/task-file.ts';
import { nodeId } from '../src/domain/ids.ts';
import { nodeItem, type Operator } from '../src/domain/item.ts';
import type { PastNode } from '../src/domain/proposal.ts';
import { randomStream } from '../src/domain/random.ts';
import { activeKeys, defaultParameters, type Task } from '../src/domain/task.ts';
import { editedExperiment } from '../src/proposers/check-edit.ts';
import { createSearchSpaceProposer } from '../src/proposers/search-space/search-space.ts';
import { randomSearch, valueOnSeeds } from './support/candidates.ts';
import { startScorer, type Parameters, type Scorer } from './support/scorer.ts';

/**
 * `npm run bench -- search-space [RUNS]`: the search-space proposer alone, without Temporal and without a process
 * per evaluation, against random search with as many evaluations, both judged on fresh seeds on the mean of all
 * datasets. A quick check of the proposer's own rule; search.ts measures the whole product.
 */

const DRAFTS = 3;
const TUNINGS = 12;
const IMPROVEMENTS = 12;
const FRESH_SEEDS = [101, 102, 103];

type Measured = Pick<PastNode, 'metric' | 'scores' | 'failure'>;

/** A step of the search: what is asked of the proposer, and the datasets that its answer is valued on. */
interface Step {
  readonly operator: Operator;
  readonly parent: PastNode | null;
  readonly target: string | null;
  readonly datasets: readonly string[];
}

/** One search with one seed: its nodes, and the way to the next. */
class Search {
  past: PastNode[] = [];
  readonly #tried: Record<string, number> = {};
  readonly #proposer = createSearchSpaceProposer();
  readonly #task: Task;
  readonly #scorer: Scorer;
  readonly #seed: number;

  constructor(task: Task, scorer: Scorer, seed: number) {
    this.#task = task;
    this.#scorer = scorer;
    this.#seed = seed;
  }

  async step({ operator, parent, target, datasets }: Step): Promise<void> {
    const work = `${operator}:${parent?.id ?? ''}:${target ?? ''}`;
    const item = nodeItem(operator, parent?.id ?? null, target, (this.#tried[work] ??= 0));
    this.#tried[work] += 1;
    const id = nodeId(this.past.length + 1);
    const stage = datasets.length === 1 ? 'baseline_tuning' : 'creative_research';
    const base = { v: 1 as const, parameters: parent?.parameters ?? defaultParameters(this.#task), files: {} };
    const around = {
      task: this.#task,
      metric: this.#task.metric,
      past: this.past,
      pending: 0,
      allowedKeys: null,
      seed: this.#seed,
    };
    const answer = await this.#proposer.propose({
      ...around,
      stage,
      node: id,
      item,
      base,
      parent,
      signal: new AbortController().signal,
    });
    if (answer.status !== 'proposed') return;
    const { parameters } = editedExperiment(this.#task, base, answer.edit);
    const node = { id, stage, operator, parent: parent?.id ?? null, label: answer.label, parameters } as const;
    this.past = [...this.past, { ...node, ...(await this.measure(parameters, datasets)) }];
  }

  async measure(parameters: Parameters, datasets: readonly string[]): Promise<Measured> {
    const scores: Record<string, number> = {};
    for (const dataset of datasets) {
      const score = await this.#scorer.score(dataset, this.#seed, parameters);
      if ('failure' in score) return { metric: null, scores: {}, failure: { reason: 'exception', message: score.failure } };
      scores[dataset] = score.value;
    }
    const values = Object.values(scores);
    return { metric: values.reduce((sum, value) => sum + value, 0) / values.length, scores, failure: null };
  }
}

function best(nodes: readonly PastNode[]): PastNode {
  const [first] = nodes.filter(({ metric }) => metric !== null).sort((a, b) => (b.metric ?? 0) - (a.metric ?? 0));
  if (first === undefined) throw new TypeError('no good node');
  return first;
}

async function tune(search: Search, order: readonly string[], one: readonly string[]): Promise<void> {
  const effort: Record<string, number> = {};
  for (let k = 0; k < TUNINGS; k++) {
    const parent = best(search.past);
    const keys = order.filter((key) => key !== task.family && activeKeys(task, parent.parameters).includes(key));
    const [key] = keys.sort((a, b) => (effort[a] ?? 0) - (effort[b] ?? 0));
    if (key === undefined) break;
    effort[key] = (effort[key] ?? 0) + 1;
    await search.step({ operator: 'tune', parent, target: key, datasets: one });
  }
}

/** Drafts and tunings on the first dataset, then improvements on all of them, as the stages of a run do it. */
async function searchFor(seed: number): Promise<{ draft: Parameters; found: Parameters; used: number }> {
  const before = scorer.used();
  const search = new Search(task, scorer, seed);
  const one = task.datasets.slice(0, 1);
  for (let k = 0; k < DRAFTS; k++) await search.step({ operator: 'draft', parent: null, target: null, datasets: one });
  const draft = best(search.past);
  await tune(search, randomStream(seed, 'keys').shuffle(Object.keys(task.components)), one);
  const carried = best(search.past);
  const base = { ...carried, ...(await search.measure(carried.parameters, task.datasets)) };
  search.past = [...search.past.filter(({ id }) => id !== carried.id), base];
  const mark = search.past.length - 1;
  for (let k = 0; k < IMPROVEMENTS; k++) {
    const good = search.past.slice(mark).filter(({ metric }) => metric !== null);
    await search.step({
      operator: 'improve',
      parent: best(good.length > 0 ? good : search.past),
      target: null,
      datasets: task.datasets,
    });
  }
  return { draft: draft.parameters, found: best(search.past.slice(mark)).parameters, used: scorer.used() - before };
}

const runs = Number(process.argv[2] ?? 10);
const folder = join(PACKAGE_ROOT, 'experiments', 'digits');
const task = await loadTask(folder);
const scorer = startScorer(task, folder);
const gains: { draft: number; random: number }[] = [];
for (let seed = 0; seed < runs; seed++) {
  const { draft, found, used } = await searchFor(seed);
  const drawn = await randomSearch({ task, scorer }, { seed, budget: used });
  const values = [found, draft, drawn.parameters].map((point) => valueOnSeeds({ task, scorer }, FRESH_SEEDS, point));
  const [ours = 0, drafted = 0, random = 0] = await Promise.all(values);
  gains.push({ draft: ours - drafted, random: ours - random });
  console.log(
    `seed ${seed}: found ${ours.toFixed(4)}, best draft ${drafted.toFixed(4)}, random search ${random.toFixed(4)} (${used} evaluations)`,
  );
}
for (const rival of ['draft', 'random'] as const) {
  const mean = gains.reduce((sum, gain) => sum + gain[rival], 0) / gains.length;
  console.log(
    `mean gain over ${rival}: ${mean.toFixed(4)}, better in ${gains.filter((gain) => gain[rival] > 0).length} of ${gains.length}`,
  );
}
scorer.close();
