import { Context } from '@temporalio/activity';
import { putExperiment } from '../adapters/artifact-store.ts';
import type { Home } from '../adapters/layout.ts';
import { writeNodeFolder } from '../adapters/node-folder.ts';
import { loadRun } from '../adapters/run-store.ts';
import type { ProposalActivities } from '../domain/activities.ts';
import { clip } from '../domain/failure.ts';
import { ProposeInput, type Proposal, type ProposeResult, type Rebase } from '../domain/proposal.ts';
import { changedKeys, editedExperiment, editProblem, strayKeys } from '../proposers/check-edit.ts';
import { readContext, readParts, type ContextSource } from '../proposers/context.ts';
import { journalReader } from '../proposers/journal-reader.ts';
import { experimentReader } from '../proposers/past-nodes.ts';
import type { ProposalContext } from '../proposers/proposer.ts';
import { proposerOf } from '../proposers/registry.ts';
import { rebased, unite, type UnionProposal } from '../proposers/unite.ts';
import { asActivity } from './attempt.ts';

/** Largest answer, bytes of its JSON; more would weigh on the history of the stage. */
const MAX_RESULT_BYTES = 4096;

/** Longest message of an item that becomes no node, as the journal takes it. */
const MAX_DROPPED = 300;

/**
 * Makes the activity that proposes a node: it looks at the journal before the item was given out, asks the run's
 * proposer for an edit, checks it against the task, and stores the experiment. A merge leaves nothing to choose:
 * whatever the proposer is, the nodes are united here. A retry gives the same answer.
 */
export function makePropose(deps: { readonly home: Home }): ProposalActivities['propose'] {
  const read = experimentReader(deps.home);
  const journal = journalReader(deps.home);
  return asActivity(ProposeInput, async (input) => {
    const run = await loadRun(deps.home, input.runId);
    const source = { home: deps.home, run, read, journal, signal: Context.current().cancellationSignal };
    const context = await readContext(source, input);
    const place = { home: deps.home, input };
    if (input.rebase !== undefined) return answerRebase(source, context, { ...place, rebase: input.rebase });
    return answerTo(await proposalFor(context, source, input), context, place);
  });
}

async function proposalFor(context: ProposalContext, source: ContextSource, input: ProposeInput): Promise<UnionProposal> {
  if (context.item.operator === 'merge') return unite(context.task, context.base, await readParts(source, input));
  const proposer = await proposerOf(source.home, source.run);
  return proposer.propose(context);
}

/** Puts an edit that was made already on another node, whose child it is then. */
async function answerRebase(
  { read }: ContextSource,
  context: ProposalContext,
  { rebase, ...place }: Place & { rebase: Rebase },
): Promise<ProposeResult> {
  const [made, onto] = await Promise.all([read(place.input.runId, rebase.made), read(place.input.runId, rebase.onto.experiment)]);
  const proposal = rebased(context.task, { from: context.base, made, onto }, rebase);
  return answerTo(proposal, { ...context, base: onto, item: { ...context.item, parent: rebase.onto.node } }, place);
}

interface Place {
  readonly home: Home;
  readonly input: ProposeInput;
}

async function answerTo(proposal: UnionProposal, context: ProposalContext, place: Place): Promise<ProposeResult> {
  if (proposal.status === 'exhausted' || proposal.status === 'conflict')
    return { ...proposal, message: clip(proposal.message, MAX_DROPPED) };
  if (proposal.status === 'malformed') return malformed(proposal.message);
  const { task, base, allowedKeys, item, parent } = context;
  // The repair of a node without a program of its own may well be the program it should have started from.
  const mayBeEmpty = item.parent === null || parent?.failure?.reason === 'proposal_malformed';
  const stray = strayKeys(proposal.edit, base, allowedKeys);
  if (stray.length > 0)
    return {
      status: 'outside',
      message: clip(`outside of the section that this item may change: ${stray.join(', ')}`, MAX_DROPPED),
    };
  const problem = editProblem(proposal.edit, { task, base, mayBeEmpty });
  return problem === null ? store(proposal, context, place) : malformed(problem);
}

async function store(
  { edit, label, plan }: Extract<Proposal, { status: 'proposed' }>,
  { task, base, item, stage, node }: ProposalContext,
  { home, input }: Place,
): Promise<ProposeResult> {
  const experiment = editedExperiment(task, base, edit);
  const words = { label: clip(label, 200), plan: clip(plan, 600) };
  const changed = changedKeys(task, base, experiment);
  const result: ProposeResult = {
    status: 'proposed',
    experiment: await putExperiment(home, input.runId, experiment),
    changed,
    ...words,
  };
  if (Buffer.byteLength(JSON.stringify(result)) > MAX_RESULT_BYTES)
    return malformed(`the edit changes too much at once: ${changed.length} keys`);
  await writeNodeFolder(home, input.runId, { stage, node, experiment, operator: item.operator, parent: item.parent, ...words });
  return result;
}

function malformed(message: string): ProposeResult {
  return { status: 'malformed', message: clip(message, 600) };
}
