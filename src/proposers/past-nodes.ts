import { getExperiment } from '../adapters/artifact-store.ts';
import type { Home } from '../adapters/layout.ts';
import type { Experiment, ParameterValue } from '../domain/experiment.ts';
import type { Ref } from '../domain/ids.ts';
import type { Node } from '../domain/node.ts';
import type { PastNode } from '../domain/proposal.ts';

/** Experiments kept in memory; they never change, as a ref is the hash of its content. */
const MOST_KEPT = 5000;

/** Reads experiments of runs, each from disk once. */
export interface ExperimentReader {
  (runId: string, ref: Ref): Promise<Experiment>;
}

/** A reader with a bounded memory. */
export function experimentReader(home: Home): ExperimentReader {
  const kept = new Map<string, Experiment>();
  return async (runId, ref) => {
    const key = `${runId}/${ref}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const experiment = await getExperiment(home, runId, ref);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, experiment);
    return experiment;
  };
}

/** A node as proposers see it. */
export async function pastNode(read: ExperimentReader, runId: string, node: Node): Promise<PastNode> {
  const { id, stage, operator, parent, label, experiment } = node;
  const parameters: Record<string, ParameterValue> = experiment === null ? {} : (await read(runId, experiment)).parameters;
  const core = { id, stage, operator, parent, label, parameters };
  if (node.status === 'good') return { ...core, metric: node.metric, scores: node.scores, failure: null };
  return { ...core, metric: null, scores: {}, failure: { reason: node.reason, message: node.message } };
}
