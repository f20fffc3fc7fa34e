import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { loadTask } from '../src/adapters/task-file.ts';
import { PACKAGE_ROOT, pythonPath } from '../src/adapters/project.ts';
import type { ParameterValue } from '../src/domain/experiment.ts';
import { nodeId } from '../src/domain/ids.ts';
import { nodeItem, type Operator } from '../src/domain/item.ts';
import type { PastNode } from '../src/domain/proposal.ts';
import { randomStream } from '../src/domain/random.ts';
import { activeKeys, defaultParameters } from '../src/domain/task.ts';
import { editedExperiment } from '../src/proposers/check-edit.ts';
import { createSearchSpaceProposer } from '../src/proposers/search-space/search-space.ts';
import { valuesOf } from '../src/proposers/search-space/space.ts';

/**
 * `npm exec -- node bench/search-space.ts [RUNS]`: the search-space proposer alone, without Temporal and without a process
 * per evaluation, against random search with as many evaluations, both judged on fresh seeds on the mean of all
 * datasets. A quick check of the proposer's own rule; the bench of the whole system is another.
 */

type Parameters = Record<string, ParameterValue>;

const Answer = z.strictObject({ value: z.number().exactOptional(), failure: z.string().exactOptional() });

const TUNINGS = 12;
const IMPROVEMENTS = 12;
const FRESH_SEEDS = [101, 102, 103];

const folder = join(PACKAGE_ROOT, 'experiments', 'digits');
const task = await loadTask(folder);
const scorer = spawn(pythonPath(), ['-B', join(PACKAGE_ROOT, 'bench', 'digits_scores.py'), folder], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = createInterface({ input: scorer.stdout })[Symbol.asyncIterator]();
let evaluations = 0;

async function scoreOn(dataset: string, seed: number, parameters: Parameters): Promise<z.infer<typeof Answer>> {
  const active = Object.fromEntries(activeKeys(task, parameters).map((key) => [key, parameters[key]]));
  scorer.stdin.write(`${JSON.stringify({ dataset, seed, parameters: active })}\n`);
  const line = await answers.next();
  evaluations += 1;
  return Answer.parse(JSON.parse(String(line.value)));
}

async function measure(
  parameters: Parameters,
  datasets: readonly string[],
  seed: number,
): Promise<Pick<PastNode, 'metric' | 'scores' | 'failure'>> {
  const scores: Record<string, number> = {};
  for (const dataset of datasets) {
    const { value, failure } = await scoreOn(dataset, seed, parameters);
    if (value === undefined) return { metric: null, scores: {}, failure: { reason: 'exception', message: failure ?? '' } };
    scores[dataset] = value;
  }
  const values = Object.values(scores);
  return { metric: values.reduce((sum, value) => sum + value, 0) / values.length, scores, failure: null };
}

async function onFreshSeeds(parameters: Parameters): Promise<number> {
  const all = await Promise.all(FRESH_SEEDS.map((seed) => measure(parameters, task.datasets, seed)));
  return all.reduce((sum, { metric }) => sum + (metric ?? 0), 0) / all.length;
}

function best(nodes: readonly PastNode[]): PastNode {
  const [first] = nodes.filter(({ metric }) => metric !== null).sort((a, b) => (b.metric ?? 0) - (a.metric ?? 0));
  if (first === undefined) throw new TypeError('no good node');
  return first;
}

async function search(seed: number): Promise<{ draft: Parameters; found: Parameters; used: number }> {
  const started = evaluations;
  const proposer = createSearchSpaceProposer();
  let past: PastNode[] = [];
  const tried: Record<string, number> = {};
  const step = async (operator: Operator, parent: PastNode | null, target: string | null, datasets: readonly string[]) => {
    const work = `${operator}:${parent?.id ?? ''}:${target ?? ''}`;
    const item = nodeItem(operator, parent?.id ?? null, target, (tried[work] ??= 0));
    tried[work] += 1;
    const id = nodeId(past.length + 1);
    const stage = datasets.length === 1 ? 'baseline_tuning' : 'creative_research';
    const base = { v: 1 as const, parameters: parent?.parameters ?? defaultParameters(task), files: {} };
    const answer = await proposer.propose({
      task,
      metric: task.metric,
      stage,
      node: id,
      item,
      base,
      parent,
      past,
      pending: 0,
      allowedKeys: null,
      seed,
      signal: new AbortController().signal,
    });
    if (answer.status !== 'proposed') return;
    const { parameters } = editedExperiment(task, base, answer.edit);
    const node = {
      id,
      stage,
      operator,
      parent: parent?.id ?? null,
      label: answer.label,
      parameters,
      ...(await measure(parameters, datasets, seed)),
    } as const;
    past = [...past, node];
  };
  const [first] = task.datasets;
  const one = first === undefined ? [] : [first];
  for (let k = 0; k < 3; k++) await step('draft', null, null, one);
  const draft = best(past);
  const order = randomStream(seed, 'keys').shuffle(Object.keys(task.components));
  const effort: Record<string, number> = {};
  for (let k = 0; k < TUNINGS; k++) {
    const parent = best(past);
    const keys = order.filter((key) => key !== task.family && activeKeys(task, parent.parameters).includes(key));
    const [key] = keys.sort((a, b) => (effort[a] ?? 0) - (effort[b] ?? 0));
    if (key === undefined) break;
    effort[key] = (effort[key] ?? 0) + 1;
    await step('tune', parent, key, one);
  }
  const carried = best(past);
  const base = { ...carried, ...(await measure({ ...carried.parameters }, task.datasets, seed)) };
  past = [...past.filter(({ id }) => id !== carried.id), base];
  const mark = past.length - 1;
  for (let k = 0; k < IMPROVEMENTS; k++) {
    const good = past.slice(mark).filter(({ metric }) => metric !== null);
    await step('improve', best(good.length > 0 ? good : past), null, task.datasets);
  }
  return { draft: { ...draft.parameters }, found: { ...best(past.slice(mark)).parameters }, used: evaluations - started };
}

async function randomSearch(seed: number, budget: number): Promise<Parameters> {
  const draw = randomStream(seed, 'random search');
  let [top, found]: [number, Parameters] = [-1, defaultParameters(task)];
  for (let used = 0; used < budget; used += task.datasets.length) {
    const parameters = Object.fromEntries(Object.keys(task.components).map((key) => [key, draw.pick(valuesOf(task, key)) ?? 0]));
    const { metric } = await measure(parameters, task.datasets, seed);
    if (metric !== null && metric > top) [top, found] = [metric, parameters];
  }
  return found;
}

const runs = Number(process.argv[2] ?? 10);
const gains: { draft: number; random: number }[] = [];
for (let seed = 0; seed < runs; seed++) {
  const { draft, found, used } = await search(seed);
  const [ours, drafted, drawn] = [
    await onFreshSeeds(found),
    await onFreshSeeds(draft),
    await onFreshSeeds(await randomSearch(seed, used)),
  ];
  gains.push({ draft: ours - drafted, random: ours - drawn });
  process.stdout.write(
    `seed ${seed}: found ${ours.toFixed(4)}, best draft ${drafted.toFixed(4)}, random search ${drawn.toFixed(4)} (${used} evaluations)\n`,
  );
}
for (const rival of ['draft', 'random'] as const) {
  const mean = gains.reduce((sum, gain) => sum + gain[rival], 0) / gains.length;
  process.stdout.write(
    `mean gain over ${rival}: ${mean.toFixed(4)}, better in ${gains.filter((gain) => gain[rival] > 0).length} of ${gains.length}\n`,
  );
}
scorer.stdin.end();
