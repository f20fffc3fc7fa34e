import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getExperiment, refOf } from '../../src/adapters/artifact-store.ts';
import type { Home } from '../../src/adapters/layout.ts';
import { loadRun, readEvents } from '../../src/adapters/run-store.ts';
import type { EvaluationRecord } from '../../src/domain/evaluation.ts';
import type { NodeId } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { compareValues } from '../../src/domain/metric.ts';
import type { GoodNode } from '../../src/domain/node.ts';
import { searchSeed } from '../../src/domain/run-plan.ts';
import type { Valuation } from './candidates.ts';
import type { Parameters } from './scorer.ts';

/** What a run of the product found and spent, from its folder. */
export interface RunOutcome {
  readonly searchSeed: number;
  /** Every seed that an evaluation of the run had. */
  readonly seeds: ReadonlySet<number>;
  /** Evaluations that the search ran: of nodes and of carried nodes, failed ones included, taken from the store not. */
  readonly evaluations: number;
  readonly best: Candidate;
  /** The draft with the best value in its stage. */
  readonly bestDraft: Candidate;
}

/** A node as a point of the component space, with its values as the journal has them. */
export interface Candidate {
  readonly node: NodeId;
  readonly parameters: Parameters;
  /** Of the last stage that evaluated it, on the search seed. */
  readonly records: readonly EvaluationRecord[];
}

type NodeEvent = Extract<JournalEvent, { kind: 'node' | 'base' }>;

/** Reads the outcome of a run of the task in `folder` that has ended. */
export async function readOutcome(home: Home, runId: string, folder: string): Promise<RunOutcome> {
  const { plan } = await loadRun(home, runId);
  const events = await readEvents(home, runId);
  const nodes = events.filter((event) => event.kind === 'node' || event.kind === 'base');
  const records = nodes.flatMap(({ evaluations }) => evaluations);
  const candidate = async (node: NodeId): Promise<Candidate> => {
    const event = nodes.findLast((one) => one.node.id === node);
    const experiment = event?.node.experiment ?? null;
    if (event === undefined || experiment === null) throw new TypeError(`${runId} has no program of ${node}`);
    const { parameters, files } = await getExperiment(home, runId, experiment);
    for (const [name, ref] of Object.entries(files)) {
      if (refOf(await readFile(join(folder, name))) !== ref)
        throw new TypeError(`${node} has another ${name}, which cannot be valued here`);
    }
    return { node, parameters, records: event.evaluations };
  };
  const drafts = nodes
    .flatMap((event) => goodDraft(event))
    .sort((a, b) => compareValues(plan.metric.direction, a.metric, b.metric));
  const best = events.findLast((event) => event.kind === 'stage_finished' && event.best !== null);
  if (best?.kind !== 'stage_finished' || best.best === null || drafts[0] === undefined)
    throw new TypeError(`${runId} has no good node`);
  return {
    searchSeed: searchSeed(plan),
    seeds: new Set(events.flatMap((event) => ('evaluations' in event ? event.evaluations : [])).map(({ seed }) => seed)),
    evaluations: records.filter(({ result }) => !result.cached).length,
    best: await candidate(best.best),
    bestDraft: await candidate(drafts[0].id),
  };
}

function goodDraft({ kind, node }: NodeEvent): GoodNode[] {
  return kind === 'node' && node.status === 'good' && node.operator === 'draft' ? [node] : [];
}

/** How the warm processes differ from what the product measured, on every value of the best node; `null` when they do not. */
export async function unlikeScorer({ scorer }: Valuation, { best }: RunOutcome): Promise<string | null> {
  for (const { dataset, seed, result } of best.records) {
    const score = await scorer.score(dataset, seed, best.parameters);
    const [ours, theirs] = [result.status === 'finished' ? result.value : null, 'value' in score ? score.value : null];
    if (ours !== theirs) return `${best.node} on ${dataset} has ${ours ?? 'failed'} in the run and ${theirs ?? 'failed'} here`;
  }
  return null;
}
