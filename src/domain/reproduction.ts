import { z } from 'zod';
import { EvaluationResult, type EvaluationRecord } from './evaluation.ts';
import { PlatformFailure, type FailureReason } from './failure.ts';
import { NodeId, RunId } from './ids.ts';
import type { JournalEvent } from './journal.ts';
import { nearestKey } from './nearest-key.ts';
import { searchSeed } from './run-plan.ts';
import type { ResolvedRun } from './resolved-run.ts';

/** Reruns: a node's evaluations made again from its artifacts, and held against what the journal says. */

/** What is run again, and what came of it the first time. */
export interface Rerunnable {
  readonly dataset: string;
  readonly seed: number;
  /** `null` where the journal has no result of this dataset and seed. */
  readonly recorded: EvaluationResult | null;
}

/** Which evaluations of a node are wanted; nothing = those by which the node was judged. */
export interface RerunWish {
  readonly dataset?: string;
  readonly seed?: number;
}

/** How a result compares with the recorded one. */
export const Reproduction = z.strictObject({
  /** `new` = there is no result of the program to compare with. */
  verdict: z.enum(['reproduced', 'differs', 'new']),
  /** The same in words. */
  text: z.string(),
});
export type Reproduction = z.infer<typeof Reproduction>;

/** `rerun.json`: what a rerun found. */
export const RerunRecord = z.strictObject({
  v: z.literal(1),
  run: RunId,
  node: NodeId,
  device: z.string(),
  /** Whether the installed Python packages are those of the run. */
  samePackages: z.boolean(),
  evaluations: z.array(
    z.strictObject({
      dataset: z.string(),
      seed: z.number().int(),
      recorded: EvaluationResult.nullable(),
      now: EvaluationResult,
      ...Reproduction.shape,
    }),
  ),
});
export type RerunRecord = z.infer<typeof RerunRecord>;

/**
 * The evaluations of a node that a rerun makes again: those by which the stage that made it judged it, or the
 * wished dataset or seed with what the journal has of it.
 *
 * @throws PlatformFailure `ConfigInvalid` for a dataset that the task does not have
 */
export function toRerun(run: ResolvedRun, events: readonly JournalEvent[], node: NodeId, wish: RerunWish): Rerunnable[] {
  const recorded = measured(events, node);
  const own = events.find((event) => (event.kind === 'node' || event.kind === 'base') && event.node.id === node);
  const ownRecords = own !== undefined && 'evaluations' in own ? own.evaluations : [];
  const stage = run.plan.stages.find(({ name }) => name === own?.stage);
  const judgedOn = ownRecords.length > 0 ? ownRecords.map(({ dataset }) => dataset) : (stage?.datasets ?? []);
  const seed = wish.seed ?? searchSeed(run.plan);
  const datasets = wish.dataset === undefined ? judgedOn : [knownDataset(run, wish.dataset)];
  return datasets.map((dataset) => ({ dataset, seed, recorded: recorded.get(`${dataset}#${seed}`)?.result ?? null }));
}

/** Whether a result is the recorded one again: the very same value, or a failure for the same reason. */
export function compareResults(recorded: EvaluationResult | null, now: EvaluationResult): Reproduction {
  if (recorded === null) return { verdict: 'new', text: 'nothing was recorded to compare with' };
  if (recorded.status === 'failed' && NOT_THE_PROGRAM.has(recorded.reason))
    return { verdict: 'new', text: `the recorded one did not run to its end (${recorded.reason})` };
  if (recorded.status === 'failed' && now.status === 'failed')
    return recorded.reason === now.reason
      ? { verdict: 'reproduced', text: 'reproduced: it fails for the same reason' }
      : { verdict: 'differs', text: 'differs: it fails for another reason' };
  if (recorded.status === 'failed') return { verdict: 'differs', text: 'differs: it failed then, and does not now' };
  if (now.status === 'failed') return { verdict: 'differs', text: 'differs: it fails now' };
  if (Object.is(recorded.value, now.value)) return { verdict: 'reproduced', text: 'reproduced' };
  const by = (now.value ?? Number.NaN) - (recorded.value ?? Number.NaN);
  return { verdict: 'differs', text: `differs by ${by > 0 ? '+' : ''}${by}; ${whyText(recorded, now)}` };
}

/** What a difference can come from: equal identities mean that all that is known to matter is as it was. */
function whyText(recorded: EvaluationResult, now: EvaluationResult): string {
  return recorded.evaluation === now.evaluation
    ? 'program, data, limits and packages are as then, so the program gives no equal values for equal seeds'
    : 'something that can change the value is not as then: packages, data, limits, helper or kind of device';
}

/** Reasons that tell nothing of what the program would have given. */
const NOT_THE_PROGRAM: ReadonlySet<FailureReason> = new Set(['cancelled', 'pruned', 'poison', 'infrastructure']);

/** What the journal has of a node by `dataset#seed`, replicas and later stages included; of two the first counts. */
function measured(events: readonly JournalEvent[], node: NodeId): Map<string, EvaluationRecord> {
  const records = events.flatMap((event) => {
    if (event.kind === 'node' || event.kind === 'base') return event.node.id === node ? event.evaluations : [];
    return event.kind === 'replica' && event.node === node ? event.evaluations : [];
  });
  return new Map(records.reverse().map((record) => [`${record.dataset}#${record.seed}`, record]));
}

function knownDataset({ task, plan }: ResolvedRun, dataset: string): string {
  if (task.datasets.includes(dataset)) return dataset;
  const near = nearestKey(dataset, task.datasets);
  throw new PlatformFailure(
    'ConfigInvalid',
    `the task ${task.name} of run ${plan.runId} has no dataset ${dataset}: it has ${task.datasets.join(', ')}`,
    near === undefined ? 'Give one of these.' : `Did you mean --dataset ${near}?`,
  );
}
