import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptPaths } from '../../src/adapters/attempt-folder.ts';
import { runPaths } from '../../src/adapters/layout.ts';
import { pythonPath } from '../../src/adapters/project.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { removeHome, runCommand } from '../support/cli.ts';
import { audit } from '../support/disturbed-run.ts';
import { isRunning } from '../support/evaluations.ts';
import { homeOfFaults, processesOf, PROGRAM_FAULTS } from '../support/program-faults.ts';

/** One run of the real command in which every node is another hostile or unlucky program, or proposer. */

const RUN = 'faulty';
type NodeEvent = Extract<JournalEvent, { kind: 'node' }>;
const home = await homeOfFaults(PROGRAM_FAULTS);
const bystander = spawn(pythonPath(), ['-c', 'import time; time.sleep(3600)'], { stdio: 'ignore' });
let ended: { code: number | null; out: string; err: string };
let nodes: NodeEvent[];

beforeAll(async () => {
  ended = await runCommand(home, 'run', 'config.yaml', '--run-id', RUN);
  nodes = (await readEvents({ root: home }, RUN)).filter((event) => event.kind === 'node');
}, 300_000);

afterAll(async () => {
  bystander.kill('SIGKILL');
  await removeHome(home);
});

function eventOf(fault: string): NodeEvent {
  const id = `n${PROGRAM_FAULTS.findIndex(({ name }) => name === fault) + 1}`;
  const event = nodes.find(({ node }) => node.id === id);
  if (event === undefined) throw new Error(`no node ${id} for ${fault}: ${ended.out}\n${ended.err}`);
  return event;
}

/** The attempt of a node's last evaluation. */
function attemptOf(fault: string) {
  const result = eventOf(fault).evaluations.at(-1)?.result;
  if (result === undefined || result.evaluation === null) throw new Error(`${fault} has no evaluation`);
  return attemptPaths(runPaths({ root: home }, RUN).attempt(result.evaluation, result.attempt));
}

test('the run goes on to its report, with a node for each of them and no evaluation lost or doubled', async () => {
  expect(ended.code, `${ended.out}\n${ended.err}`).toBe(0);
  expect(nodes).toHaveLength(PROGRAM_FAULTS.length);
  expect(await audit(home)).toMatchObject({ doubled: [], overlaps: [], open: [] });
  expect(existsSync(runPaths({ root: home }, RUN).reportMarkdown)).toBe(true);
});

describe('a program or proposer', () => {
  test.each(PROGRAM_FAULTS.map((fault) => [fault.name, fault.becomes, fault] as const))(
    '%s becomes %s',
    (name, becomes, { says }) => {
      const { node } = eventOf(name);
      expect(node.status === 'good' ? 'good' : node.reason, JSON.stringify(node)).toBe(becomes);
      expect(node.status === 'good' ? '' : node.message).toMatch(says);
    },
  );
});

describe('afterwards', () => {
  test('a dataset without a value has not got that of the dataset before it', () => {
    expect(eventOf('no_result').evaluations.map(({ dataset, result }) => [dataset, result.status])).toEqual([
      ['a', 'finished'],
      ['b', 'failed'],
    ]);
  });

  test('nothing of any program is alive, wherever it hid, and a bystander named python lives', () => {
    for (const fault of ['grandchild', 'setsid'])
      expect(isRunning(Number(readFileSync(join(attemptOf(fault).out, 'children.txt'), 'utf8'))), fault).toBe(false);
    expect(processesOf(home)).toEqual([]);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
  });

  test('endless output is kept up to its limit, its first and its last part', () => {
    const { output } = attemptOf('output');
    expect(statSync(output).size).toBeLessThan(257 * 1024);
    expect(readFileSync(output, 'latin1')).toMatch(/^probe .*\n\.\.\. \d+ bytes left out \.\.\.\n.*out\n$/s);
  });

  test('of hundreds of figures a bounded number is copied beside the node', () => {
    const folder = join(runPaths({ root: home }, RUN).node('initial_implementation', eventOf('many_figures').node.id), 'figures');
    expect(readdirSync(attemptOf('many_figures').out).length).toBe(300);
    expect(readdirSync(folder).filter((name) => name.startsWith('a-s0-'))).toHaveLength(100);
  });
});
