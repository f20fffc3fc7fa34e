import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putArtifact } from '../adapters/artifact-store.ts';
import { orNull } from '../adapters/atomic-file.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import type { Experiment } from '../domain/experiment.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { NodeId, type Ref } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import type { Node } from '../domain/node.ts';
import type { ProposeInput } from '../domain/proposal.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { defaultParameters, taskFiles } from '../domain/task.ts';
import type { JournalReader } from './journal-reader.ts';
import type { KeptJournal } from './kept-journal.ts';
import { pastNode, type ExperimentReader } from './past-nodes.ts';
import type { ProposalContext } from './proposer.ts';
import type { Part } from './unite.ts';

/** Where a context is read from. */
export interface ContextSource {
  readonly home: Home;
  readonly run: ResolvedRun;
  readonly read: ExperimentReader;
  readonly journal: JournalReader;
  readonly signal: AbortSignal;
}

/**
 * Reads what a proposer may know: the run, the experiment to start from, and the latest nodes of the journal
 * before the item was given out, however far the run has gone on since.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`; `InvariantBroken` for an item that makes no node
 */
export async function readContext(source: ContextSource, input: ProposeInput): Promise<ProposalContext> {
  const { home, run } = source;
  const item = nodeItemOf(input);
  const { before } = input;
  const journal = await source.journal(input.runId, before);
  const parent = item.parent === null ? undefined : journal.node(item.parent, before);
  const pastOf = (node: Node) => pastNode(source.read, input.runId, node);
  const start = input.parentExperiment ?? ancestorExperiment(journal, parent, before);
  return {
    task: run.task,
    metric: run.plan.metric,
    stage: input.stage,
    node: input.node,
    item,
    base: start === null ? await defaultExperiment(home, run) : await source.read(input.runId, start),
    parent: parent === undefined ? null : await pastOf(parent),
    past: await Promise.all(journal.latest(run.config.proposer.window, before).map(pastOf)),
    pending: Math.max(0, item.ordinal - journal.settledOf(input.stage, item.id, before)),
    allowedKeys: input.allowedKeys,
    seed: run.plan.seed,
    signal: source.signal,
  };
}

/**
 * Reads the nodes that a merge unites, in the order in which its target names them.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`; `InvariantBroken` unless the base and all of them are
 * nodes of the journal before the item was given out, with experiments
 */
export async function readParts(source: ContextSource, input: ProposeInput): Promise<Part[]> {
  const { runId, before } = input;
  const item = nodeItemOf(input);
  const journal = await source.journal(runId, before);
  const refOf = (word: string): { id: NodeId; ref: Ref } => {
    const id = NodeId.safeParse(word).data;
    const ref = id === undefined ? null : (journal.node(id, before)?.experiment ?? null);
    if (id !== undefined && ref !== null) return { id, ref };
    throw defect(`The item ${item.id} unites ${word === '' ? 'nothing' : word}, which is no node with an experiment.`);
  };
  const [, ...parts] = [item.parent ?? '', ...(item.target ?? '').split('+')].map(refOf);
  return Promise.all(parts.map(async ({ id, ref }) => ({ id, experiment: await source.read(runId, ref) })));
}

function nodeItemOf({ item }: ProposeInput): NodeItem {
  if (item.kind === 'node') return item;
  throw defect(`The item ${item.id} makes no node.`);
}

function defect(what: string): PlatformFailure {
  return new PlatformFailure('InvariantBroken', what, 'This is a defect of the program: please report it.');
}

/** The experiment of the nearest ancestor that has one: a node with an unusable proposal has none. */
function ancestorExperiment(journal: KeptJournal, node: Node | undefined, before: number): Ref | null {
  let at = node;
  while (at !== undefined && at.experiment === null) at = at.parent === null ? undefined : journal.node(at.parent, before);
  return at?.experiment ?? null;
}

/** The task as it is when nobody has changed anything: all defaults, and the files of the run's copy. */
async function defaultExperiment(home: Home, { plan, task }: ResolvedRun): Promise<Experiment> {
  const files: Record<string, Ref> = {};
  for (const name of taskFiles(task)) {
    const path = join(runPaths(home, plan.runId).task, name);
    const bytes = await orNull(readFile(path));
    if (bytes === null) {
      throw new PlatformFailure(
        'ArtifactMissing',
        `The program file ${path} is not there.`,
        'Restore it from the task’s folder, or start the run afresh.',
      );
    }
    files[name] = await putArtifact(home, plan.runId, bytes);
  }
  return { v: 1, parameters: defaultParameters(task), files };
}
