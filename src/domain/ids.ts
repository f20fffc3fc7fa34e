import { z } from 'zod';

/**
 * Identifiers. Every id is derived from what it names, readable by a person, and made here and nowhere
 * else; nothing in a workflow draws a random id.
 */

/** Id of a run and of its `research` workflow: `digits-20261129-1`. Safe as a folder name. */
export const RunId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}(?:\.rerun-[1-9]\d{0,5})?$/,
    'a run id is 1 to 63 of a-z, 0-9, dot, dash and underscore, and starts with a letter or digit',
  )
  .brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

/** The four research stages, in the order in which a run goes through them. */
export const STAGE_NAMES = ['initial_implementation', 'baseline_tuning', 'creative_research', 'ablation_studies'] as const;

/** Name of one of the four stages. */
export const StageName = z.enum(STAGE_NAMES);
export type StageName = z.infer<typeof StageName>;

/** Id of a node, `n` and its number in the run: `n17`. Numbers are given at dispatch and never reused. */
export const NodeId = z
  .string()
  .regex(/^n[1-9]\d{0,6}$/)
  .brand<'NodeId'>();
export type NodeId = z.infer<typeof NodeId>;

/** Id of an item (domain/item.ts), such as `tune:n3:model.depth#0`; unique within a stage. */
export const ItemId = z.string().min(1).max(300).brand<'ItemId'>();
export type ItemId = z.infer<typeof ItemId>;

/** Content address of stored bytes: the first 128 bits of their SHA-256, 32 hexadecimal digits. */
export const Ref = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'Ref'>();
export type Ref = z.infer<typeof Ref>;

/** Identity of an evaluation: a hash of everything that can change its result (adapters/evaluation-hash.ts). */
export const EvaluationId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'EvaluationId'>();
export type EvaluationId = z.infer<typeof EvaluationId>;

/** Name of a device on its host: `cpu0`, `gpu-1a2b3c4d`. */
export const DeviceName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.+-]{0,79}$/)
  .brand<'DeviceName'>();
export type DeviceName = z.infer<typeof DeviceName>;

/** The id under which ledgers and records know rerun `number` of a run: `digits-1.rerun-2`. No run has such an id. */
export function rerunId(run: RunId, number: number): RunId {
  return RunId.parse(`${run}.rerun-${number}`);
}

/** The run and the number of a rerun; `null` for the id of a run itself. */
export function rerunOf(id: string): { run: string; number: number } | null {
  const [, run, number] = /^(.+)\.rerun-([1-9]\d{0,5})$/.exec(id) ?? [];
  return run === undefined ? null : { run, number: Number(number) };
}

/** The id of the run's `number`-th node, counted from 1. */
export function nodeId(number: number): NodeId {
  return NodeId.parse(`n${number}`);
}

/** The number of a node: 17 of `n17`. */
export function nodeNumber(id: string): number {
  return Number(id.slice(1));
}

/** The workflow id of a stage of a run. */
export function stageWorkflowId(runId: string, stage: StageName): string {
  return `${runId}/${stage}`;
}
