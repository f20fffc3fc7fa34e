import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive, ownIdentity, ProcessIdentity, signalProcess } from '../../../src/adapters/process-identity.ts';

function sleeper(): { child: ChildProcess; identity: ProcessIdentity } {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const identity = identityOf(child.pid ?? 0);
  if (identity === null) throw new Error('the child has no identity');
  return { child, identity };
}

test('this process is alive, and its identity is that of its pid', () => {
  expect(ownIdentity()).toEqual(identityOf(process.pid));
  expect(isAlive(ownIdentity())).toBe(true);
  expect(ProcessIdentity.parse(ownIdentity())).toEqual(ownIdentity());
});

test('a process of the same pid that started at another time, or in another boot, is another process', () => {
  const own = ownIdentity();
  expect(isAlive({ ...own, startTime: '1' })).toBe(false);
  expect(isAlive({ ...own, bootId: 'another' })).toBe(false);
  expect(signalProcess({ ...own, startTime: '1' }, 'SIGKILL')).toBe(false);
});

test('two processes have two start times or two pids', async () => {
  const first = sleeper();
  await sleep(30);
  const second = sleeper();
  expect(first.identity).not.toEqual(second.identity);
});

test('a process that was signalled dead is dead', async () => {
  const { child, identity } = sleeper();
  expect(isAlive(identity)).toBe(true);
  expect(signalProcess(identity, 'SIGTERM')).toBe(true);
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
  expect(signalProcess(identity, 'SIGTERM')).toBe(false);
  expect(identityOf(identity.pid)).toBeNull();
});

test('a process that has ended but was not waited for counts as dead', async () => {
  // The shell starts a child that ends at once and becomes a program that never waits for it.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    parent.kill('SIGKILL');
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  for (let i = 0; i < 200 && identityOf(pid) !== null; i++) await sleep(20);
  expect(identityOf(pid)).toBeNull();
  expect(process.kill(pid, 0)).toBe(true);
});

test('a name with parentheses and spaces does not confuse the reading', async () => {
  const child = spawn(process.execPath, [
    '-e',
    "process.title = 'a) Z (b'; process.stdout.write('on'); setInterval(() => 0, 1000)",
  ]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  expect(identityOf(child.pid ?? 0)?.startTime).toMatch(/^\d+$|\w/);
  expect(isAlive(identityOf(child.pid ?? 0) ?? ownIdentity())).toBe(true);
});
