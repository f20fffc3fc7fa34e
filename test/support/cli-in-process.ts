import { saveRun, writeEvent } from '../../src/adapters/run-store.ts';
import { main } from '../../src/cli/main.ts';
import { exampleReportInput, type Example } from './example-run.ts';

/** What a command printed and how it ended. */
export interface Said {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
}

/** Runs a command inside the test's process, on a home of its own and without a terminal. */
export function say(home: string, ...argv: string[]): Promise<Said> {
  return sayWith({}, home, ...argv);
}

/** The same with variables of the environment. */
export async function sayWith(env: NodeJS.ProcessEnv, home: string, ...argv: string[]): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(argv, {
    out: (line) => void out.push(...line.split('\n')),
    err: (line) => void err.push(...line.split('\n')),
    terminal: null,
    env,
    home: { root: home },
  });
  return { code, out, err };
}

/** Puts a whole run with four stages on the disk of a home. */
export async function storeExample(root: string): Promise<Example> {
  const example = exampleReportInput();
  await saveRun({ root }, example.run);
  for (const event of example.events) await writeEvent({ root }, example.run.plan.runId, event);
  return example;
}
