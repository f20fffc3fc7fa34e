import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { putExperiment } from '../../src/adapters/artifact-store.ts';
import { runPaths, type Home } from '../../src/adapters/layout.ts';
import { saveRun, writeEvent } from '../../src/adapters/run-store.ts';
import { JournalEvent } from '../../src/domain/journal.ts';
import { exampleReportInput, type Example } from './example-run.ts';

/** Runs on disk, as the activities leave them, for tests of what reads them. */

/** An entry program that reports a value which its parameters and seed decide. */
const PROGRAM = `from scientist_experiment import Experiment

exp = Experiment()
exp.report("accuracy", 0.5 + float(exp.parameters["model.c"]) / 100 + (exp.seed % 10) / 1000)
`;

/** A home folder of its own, removed after the test. */
export async function temporaryHome(): Promise<Home> {
  const root = await mkdtemp(join(tmpdir(), 'scientist-report-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return { root };
}

/** Stores a run with its task folder, experiments and journal; gives the events as stored, with their real refs. */
export async function storeRun(home: Home, example: Example = exampleReportInput()): Promise<readonly JournalEvent[]> {
  const { run, experiments } = example;
  const paths = runPaths(home, run.plan.runId);
  await saveRun(home, run);
  await mkdir(paths.task, { recursive: true });
  await writeFile(join(paths.task, 'train.py'), PROGRAM);
  await writeFile(join(paths.task, 'plot.py'), '# draws nothing\n');
  let text = JSON.stringify(example.events);
  for (const [sketched, experiment] of experiments) {
    text = text.replaceAll(sketched, await putExperiment(home, run.plan.runId, experiment));
  }
  const events = JournalEvent.array().parse(JSON.parse(text));
  for (const event of events) await writeEvent(home, run.plan.runId, event);
  return events;
}
