import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { until } from '../../support/gate.ts';

/** Processes of a group that live; one that is dead and not yet collected does not. */
function livingInGroup(group: number): number {
  const all = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return all.map((line) => line.trim().split(/\s+/)).filter(([of, state]) => of === String(group) && !state?.startsWith('Z'))
    .length;
}

// sdk-typescript#876, #928, #1259
test('a test run over the real server and workers ends by itself, well, and leaves no process behind', async () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const vitest = join(PACKAGE_ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'server', 'test/workflow/bundle.test.ts'], {
    cwd: PACKAGE_ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  // `close` comes when nothing holds its output any more.
  await once(child, 'close');
  expect(child.exitCode, said).toBe(0);
  expect(said).toMatch(/[1-9]\d* passed, 0 failed/);
  await until(() => livingInGroup(child.pid ?? 0) === 0);
}, 180_000);
