import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putArtifact } from '../adapters/artifact-store.ts';
import { orNull } from '../adapters/atomic-file.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { readEvents } from '../adapters/run-store.ts';
import type { Experiment } from '../domain/experiment.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import type { JournalEvent } from '../domain/journal.ts';
import type { Node } from '../domain/node.ts';
import type { ProposeInput } from '../domain/proposal.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { defaultParameters, taskFiles } from '../domain/task.ts';
import { journalNodes, pastNode, type ExperimentReader } from './past-nodes.ts';
import type { ProposalContext } from './proposer.ts';

/** Where a context is read from. */
export interface ContextSource {
  readonly home: Home;
  readonly run: ResolvedRun;
  readonly read: ExperimentReader;
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
  const events = await readEvents(home, input.runId, { before: input.before });
  const nodes = journalNodes(events);
  const parent = item.parent === null ? undefined : nodes.get(item.parent);
  const pastOf = (node: Node) => pastNode(source.read, input.runId, node);
  const start = input.parentExperiment ?? ancestorExperiment(nodes, parent);
  return {
    task: run.task,
    metric: run.plan.metric,
    stage: input.stage,
    node: input.node,
    item,
    base: start === null ? await defaultExperiment(home, run) : await source.read(input.runId, start),
    parent: parent === undefined ? null : await pastOf(parent),
    past: await Promise.all([...nodes.values()].slice(-run.config.proposer.window).map(pastOf)),
    pending: pendingBefore(events, input, item),
    allowedKeys: input.allowedKeys,
    seed: run.plan.seed,
    signal: source.signal,
  };
}

function nodeItemOf({ item }: ProposeInput): NodeItem {
  if (item.kind === 'node') return item;
  throw new PlatformFailure(
    'InvariantBroken',
    `The item ${item.id} makes no node.`,
    'This is a defect of the program: please report it.',
  );
}

/** The experiment of the nearest ancestor that has one: a node with an unusable proposal has none. */
function ancestorExperiment(nodes: ReadonlyMap<NodeId, Node>, node: Node | undefined): Ref | null {
  let at = node;
  while (at !== undefined && at.experiment === null) at = at.parent === null ? undefined : nodes.get(at.parent);
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

/** Earlier items of the same work, in this stage, that the journal does not tell the outcome of. */
function pendingBefore(events: readonly JournalEvent[], { stage }: ProposeInput, item: NodeItem): number {
  const stem = item.id.slice(0, item.id.lastIndexOf('#') + 1);
  const settled = new Set<string>(
    events.flatMap((event) => {
      if (event.stage !== stage) return [];
      if (event.kind === 'node') return [event.node.item];
      return event.kind === 'dropped' ? [event.item] : [];
    }),
  );
  return Array.from({ length: item.ordinal }, (_, ordinal) => `${stem}${ordinal}`).filter((id) => !settled.has(id)).length;
}
