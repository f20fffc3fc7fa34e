import fc from 'fast-check';
import { nodeId, type StageName } from '../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../src/domain/item.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import type { PastNode, Proposal } from '../../src/domain/proposal.ts';
import { defaultParameters, type Task } from '../../src/domain/task.ts';
import { editedExperiment } from '../../src/proposers/check-edit.ts';
import type { ProposalContext, Proposer } from '../../src/proposers/proposer.ts';
import { valuesOf } from '../../src/proposers/search-space/space.ts';

/** Contexts of proposers, small pasts, and a search played without any process. */

export type Values = Record<string, ParameterValue>;

/** A context for an item, with nothing in the past. */
export function contextFor(task: Task, item: NodeItem, change: Partial<ProposalContext> = {}): ProposalContext {
  return {
    task,
    metric: task.metric,
    stage: 'baseline_tuning',
    node: nodeId(1000),
    item,
    base: { v: 1, parameters: defaultParameters(task), files: {} },
    parent: null,
    past: [],
    pending: 0,
    allowedKeys: null,
    seed: 1,
    signal: new AbortController().signal,
    ...change,
  };
}

/** A context whose base is a node of the past. */
export function contextFrom(task: Task, item: NodeItem, parent: PastNode, past: readonly PastNode[]): ProposalContext {
  return contextFor(task, item, { base: { v: 1, parameters: parent.parameters, files: {} }, parent, past });
}

/** A node of the past, good on dataset `a` unless it says otherwise. */
export function past(task: Task, number: number, changes: Values, rest: Partial<PastNode> | number = {}): PastNode {
  const { parameters } = editedExperiment(task, { v: 1, parameters: {}, files: {} }, { parameters: changes, files: {} });
  const metric = typeof rest === 'number' ? rest : (rest.metric ?? 0.5);
  const core = { id: nodeId(number), stage: 'initial_implementation', operator: 'draft', parent: null, label: 'draft' } as const;
  const good = { ...core, parameters, metric, scores: { a: metric }, failure: null };
  return typeof rest === 'number' ? good : { ...good, ...rest };
}

/** A node of the past that broke with a message. */
export function broken(task: Task, number: number, changes: Values, message: string, rest: Partial<PastNode> = {}): PastNode {
  return { ...past(task, number, changes), metric: null, scores: {}, failure: { reason: 'exception', message }, ...rest };
}

/** The point that a proposal leads to; fails where there is none. */
export function pointOf(context: ProposalContext, proposal: Proposal): Values {
  if (proposal.status !== 'proposed') throw new TypeError(`expected a proposal, got ${JSON.stringify(proposal)}`);
  return editedExperiment(context.task, context.base, proposal.edit).parameters;
}

/** Any point of a task's space. */
export function anyPoint(task: Task): fc.Arbitrary<Values> {
  const keys = Object.keys(task.components).filter((key) => !task.frozen.includes(key));
  return fc.record(Object.fromEntries(keys.map((key) => [key, fc.constantFrom(...valuesOf(task, key))])));
}

/** A past of up to `size` nodes: good ones on one or two datasets, and broken ones. */
export function anyPast(task: Task, size: number): fc.Arbitrary<PastNode[]> {
  const message = fc.constantFrom('ValueError: no', ...Object.keys(task.components));
  const node = fc.record({
    point: anyPoint(task),
    metric: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    both: fc.boolean(),
    message,
  });
  return fc.array(node, { maxLength: size }).map((nodes) =>
    nodes.map(({ point, metric, both, message: text }, index) => {
      if (metric === null) return broken(task, index + 1, point, text);
      return past(task, index + 1, point, { metric, scores: both ? { a: metric, b: metric } : { a: metric } });
    }),
  );
}

/** What a played search did. */
export interface Played {
  readonly past: PastNode[];
  /** What the proposer said when it stopped; empty when it never did. */
  readonly end: string;
}

/** Asks for the same work again and again, each answer measured by `measure`, until it is exhausted or `steps` are made. */
export async function play(
  proposer: Proposer,
  start: ProposalContext,
  { steps, measure }: { readonly steps: number; readonly measure: (values: Values) => number | null },
): Promise<Played> {
  const nodes = [...start.past];
  const { operator, parent, target } = start.item;
  const stage: StageName = start.stage;
  for (let ordinal = 0; ordinal < steps; ordinal++) {
    const item = nodeItem(operator, parent, target, ordinal);
    const context = { ...start, item, past: nodes, node: nodeId(2000 + ordinal) };
    const proposal = await proposer.propose(context);
    if (proposal.status !== 'proposed') return { past: nodes, end: proposal.message };
    const parameters = pointOf(context, proposal);
    const metric = measure(parameters);
    const core = { id: context.node, stage, operator, parent, label: proposal.label, parameters };
    nodes.push(
      metric === null
        ? { ...core, metric, scores: {}, failure: { reason: 'exception', message: 'no' } }
        : { ...core, metric, scores: { a: metric }, failure: null },
    );
  }
  return { past: nodes, end: '' };
}
