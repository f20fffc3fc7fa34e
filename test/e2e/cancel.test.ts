import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT, pythonPath } from '../../src/adapters/project.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { eventually } from '../support/gate.ts';
import { newSlowHome, removeHome, runCommand, type RunningCommand, startUp } from '../support/cli.ts';

/** Cancelling a run whose programs do not want to end: they and all their relatives end, and nobody else does. */

const home = newSlowHome(1);
let up: RunningCommand | null = null;
let bystander: ChildProcess | null = null;

beforeAll(async () => {
  copyFileSync(join(PACKAGE_ROOT, 'test', 'fixtures', 'programs', 'family.py'), join(home, 'experiments', 'probe', 'probe.py'));
  bystander = spawn(pythonPath(), ['-c', 'import time; time.sleep(600)'], { argv0: 'python', stdio: 'ignore' });
  up = await startUp(home, 'cpu:2');
}, 120_000);
afterAll(async () => {
  bystander?.kill('SIGKILL');
  up?.signal('SIGTERM');
  await up?.ended;
  await removeHome(home);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The processes that a program and its relatives have told of. */
function relatives(): number[] {
  const files = globSync(join(home, 'runs', 'stubborn', 'evaluations', '*', 'attempts', '*', 'out', 'pids', '*'));
  return files.map((file) => Number(readFileSync(file, 'utf8'))).filter((pid) => pid > 0);
}

test('cancel ends programs that ignore SIGTERM and what they left in other sessions, writes the report, and harms no bystander', async () => {
  const started = await runCommand(home, 'run', 'config.yaml', '--detach', '--run-id', 'stubborn', '--set', 'exec.grace=1s');
  expect(started.code, started.err).toBe(0);
  await eventually('both programs have all their relatives', () => Promise.resolve(relatives().length === 10));
  const pids = relatives();
  expect(pids.filter(isAlive)).toHaveLength(10);
  expect((await runCommand(home, 'cancel', 'stubborn')).code).toBe(0);
  const report = join(home, 'runs', 'stubborn', 'report.md');
  await eventually('the report is written', () => Promise.resolve(existsSync(report)));
  expect(pids.filter(isAlive)).toEqual([]);
  const nodes = (await readEvents({ root: home }, 'stubborn')).flatMap((event) => (event.kind === 'node' ? [event.node] : []));
  expect(nodes).toMatchObject([{ reason: 'cancelled' }, { reason: 'cancelled' }]);
  expect(isAlive(bystander?.pid ?? 0)).toBe(true);
}, 180_000);
