import type { Experiment, ParameterValue } from '../domain/experiment.ts';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';
import type { Node } from '../domain/node.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { replicationSeed } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';

/**
 * The journal by stage, and the replicas by node. Total: any list of valid events in any order is read; of
 * two entries for the same thing the first counts.
 */

type EventOf<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>;

/** The events of one stage. */
export interface StageRecords {
  readonly definition: StageDefinition;
  readonly started: EventOf<'stage_started'> | null;
  readonly base: EventOf<'base'> | null;
  /** In the order of the journal, each id once, the base's left out. */
  readonly nodes: readonly EventOf<'node'>[];
  readonly replicas: readonly EventOf<'replica'>[];
  readonly plots: readonly EventOf<'plot'>[];
  readonly dropped: readonly EventOf<'dropped'>[];
  readonly steered: readonly EventOf<'steered'>[];
  /** Which stage before it is to blame, where it has no good node. */
  readonly blamed: EventOf<'blamed'> | null;
  /** Nodes that a person took out of the search, with what descends from them. */
  readonly pruned: ReadonlySet<NodeId>;
  readonly finished: EventOf<'stage_finished'> | null;
}

/** The metric of a node by fresh seed, and the seeds on which an evaluation failed. */
export interface Replicas {
  readonly values: ReadonlyMap<number, number>;
  readonly failed: ReadonlySet<number>;
}

/** The journal of a run, ready to be asked. */
export interface RunRecords {
  readonly run: ResolvedRun;
  readonly stages: readonly StageRecords[];
  /** Every node by id, as the stage that made it recorded it; carried ones where that stage's record is missing. */
  readonly nodes: ReadonlyMap<NodeId, Node>;
  /** The replicas of a node over these datasets, from every stage that evaluates on them. */
  readonly replicasOf: (node: NodeId, datasets: readonly string[]) => Replicas;
  /** The value of a component in a node's experiment; `null` for a file or where it is not known. */
  readonly valueOf: (node: Node | null, key: string) => ParameterValue | null;
}

/** Reads the events of a run; `experiments` holds what is known of the nodes' experiments. */
export function readJournal(
  run: ResolvedRun,
  events: readonly JournalEvent[],
  experiments: ReadonlyMap<Ref, Experiment>,
): RunRecords {
  const stages = run.plan.stages.map((definition) => stageRecords(definition, events));
  const replicas = collectReplicas(run, stages);
  return {
    run,
    stages,
    nodes: nodesById(events),
    replicasOf: (node, datasets) => replicas.get(replicaKey(node, datasets)) ?? { values: new Map(), failed: new Set() },
    valueOf: (node, key) => {
      const initial = run.task.components[key]?.default ?? null;
      if (node === null) return initial;
      const experiment = node.experiment === null ? undefined : experiments.get(node.experiment);
      return experiment === undefined ? null : (experiment.parameters[key] ?? initial);
    },
  };
}

/** All nodes as the stage evaluated them, the base first. */
export function stageNodes(stage: StageRecords): Node[] {
  const own = stage.nodes.map(({ node }) => node);
  return stage.base === null ? own : [stage.base.node, ...own];
}

function stageRecords(definition: StageDefinition, all: readonly JournalEvent[]): StageRecords {
  const events = all.filter(({ stage }) => stage === definition.name);
  const of = <K extends JournalEvent['kind']>(kind: K): EventOf<K>[] =>
    events.filter((event): event is EventOf<K> => event.kind === kind);
  const base = of('base')[0] ?? null;
  return {
    definition,
    started: of('stage_started')[0] ?? null,
    base,
    nodes: firstOf(of('node'), ({ node }) => node.id).filter(({ node }) => node.id !== base?.node.id),
    replicas: firstOf(of('replica'), ({ node, replica }) => `${node}#${replica}`),
    plots: of('plot'),
    dropped: of('dropped'),
    steered: of('steered'),
    blamed: of('blamed')[0] ?? null,
    pruned: prunedNodes(of('steered'), of('node')),
    finished: of('stage_finished')[0] ?? null,
  };
}

/** Parents come first (J3). */
function prunedNodes(steered: readonly EventOf<'steered'>[], nodes: readonly EventOf<'node'>[]): ReadonlySet<NodeId> {
  const pruned = new Set(steered.flatMap((event) => event.pruned ?? []));
  for (const { node } of nodes) if (node.parent !== null && pruned.has(node.parent)) pruned.add(node.id);
  return pruned;
}

function firstOf<T>(list: readonly T[], keyOf: (value: T) => string): T[] {
  const seen = new Map<string, T>();
  for (const value of list) if (!seen.has(keyOf(value))) seen.set(keyOf(value), value);
  return [...seen.values()];
}

function nodesById(events: readonly JournalEvent[]): Map<NodeId, Node> {
  const made = events.filter((event) => event.kind === 'node');
  const carried = events.filter((event) => event.kind === 'base');
  const nodes = new Map<NodeId, Node>();
  for (const { node } of [...made, ...carried]) if (!nodes.has(node.id)) nodes.set(node.id, node);
  return nodes;
}

/** Values on the same datasets and seed are comparable whichever stage they come from; others never are. */
function collectReplicas(run: ResolvedRun, stages: readonly StageRecords[]): Map<string, Replicas> {
  const all = new Map<string, { values: Map<number, number>; failed: Set<number> }>();
  for (const { definition, replicas } of stages) {
    for (const { node, replica, metric } of replicas) {
      const key = replicaKey(node, definition.datasets);
      const entry = all.get(key) ?? { values: new Map<number, number>(), failed: new Set<number>() };
      all.set(key, entry);
      const seed = replicationSeed(run.plan, replica);
      if (metric === null) entry.failed.add(seed);
      else if (!entry.values.has(seed)) entry.values.set(seed, metric);
    }
  }
  for (const entry of all.values()) for (const seed of entry.values.keys()) entry.failed.delete(seed);
  return all;
}

function replicaKey(node: NodeId, datasets: readonly string[]): string {
  return JSON.stringify([node, ...datasets]);
}
