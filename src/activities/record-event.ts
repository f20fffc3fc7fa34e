import { getExperiment } from '../adapters/artifact-store.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { linkEvaluations, linkNodeEvaluations, writeProgram } from '../adapters/node-folder.ts';
import { readProgram } from '../adapters/program.ts';
import { writeEvent } from '../adapters/run-store.ts';
import type { JournalEvent } from '../domain/journal.ts';
import { RecordEventInput } from '../domain/messages.ts';
import { asActivity } from './attempt.ts';
import type { JournalWriter } from './journal-writer.ts';

/** What the activity is made with. */
export interface RecordEventDeps {
  readonly home: Home;
  /** Who may write; without it, everybody may. */
  readonly writer?: JournalWriter;
}

/**
 * Makes the activity `recordEvent`: the event enters the journal under its number, and the node's folder gets
 * what a person looks for there. Doing it twice changes nothing.
 */
export function makeRecordEvent({ home, writer }: RecordEventDeps): (input: RecordEventInput) => Promise<void> {
  return asActivity(RecordEventInput, async ({ runId, event }) => {
    if (event.kind === 'stage_started') await writer?.endOthers(runId, event.stage);
    await writeEvent(home, runId, event, () => writer?.check());
    await updateFolder(home, runId, event);
  });
}

async function updateFolder(home: Home, runId: string, event: JournalEvent): Promise<void> {
  switch (event.kind) {
    case 'node':
      await linkNodeEvaluations(home, runId, event.node, event.evaluations);
      return;
    case 'base':
      await writeBase(home, runId, event);
      return;
    case 'replica':
    case 'plot':
      await linkEvaluations(home, runId, runPaths(home, runId).node(event.stage, event.node), event.evaluations);
      return;
    case 'stage_started':
    case 'dropped':
    case 'steered':
    case 'blamed':
    case 'stage_finished':
      return;
  }
}

/** The carried node gets a folder in each stage that starts from it, with its values on that stage's datasets. */
async function writeBase(home: Home, runId: string, event: Extract<JournalEvent, { kind: 'base' }>): Promise<void> {
  const node = { ...event.node, stage: event.stage };
  if (node.experiment !== null) {
    const program = await readProgram(home, runId, await getExperiment(home, runId, node.experiment));
    await writeProgram(runPaths(home, runId).node(event.stage, node.id), program);
  }
  await linkNodeEvaluations(home, runId, node, event.evaluations);
}
