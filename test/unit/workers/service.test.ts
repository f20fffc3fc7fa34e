import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from '../../../src/adapters/process-identity.ts';
import type { RoleLog } from '../../../src/workers/log.ts';
import { endProcess, FROZEN_MS, superviseService, type Service, type ServiceSpec } from '../../../src/workers/service.ts';

function program(command = 'exec sleep 60'): ChildProcess {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function identity(child: ChildProcess): ProcessIdentity {
  const found = identityOf(child.pid ?? 0);
  if (found === null) throw new Error('it has no identity');
  return found;
}

/** A service whose processes are counted; `left` is what an earlier supervisor left. */
function serviceOf(change: Partial<ServiceSpec> = {}) {
  const started: ChildProcess[] = [];
  const lines: string[] = [];
  const log: RoleLog = { info: (text) => lines.push(text), warn: (text) => lines.push(text), error: (text) => lines.push(text) };
  const spec: ServiceSpec = {
    role: 'thing',
    stopMs: 2000,
    find: () => Promise.resolve(null),
    problem: () => Promise.resolve(null),
    start: () => {
      const child = program();
      started.push(child);
      return Promise.resolve(child);
    },
    ...change,
  };
  return { service: superviseService(spec, log, () => undefined), started, lines };
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a service', () => {
  test('is started once and left alone while it lives', async () => {
    const { service, started } = serviceOf();
    for (let now = 0; now < 5000; now += 500) await service.tend(now);
    expect(started.length).toBe(1);
    expect(service.view()).toEqual({ role: 'thing', restarts: 0, failures: 0, problem: null });
  });

  test('that died is started again, and counted', async () => {
    const { service, started, lines } = serviceOf();
    await service.tend(0);
    await killed(started[0] as ChildProcess);
    await service.tend(1000);
    await service.tend(1500);
    expect(started.length).toBe(2);
    expect(service.view()).toMatchObject({ restarts: 1, failures: 1 });
    expect(lines.some((line) => line.includes('thing has ended'))).toBe(true);
  });

  test('that keeps dying is started with growing pauses', async () => {
    const starts: number[] = [];
    let now = 0;
    const { service } = serviceOf({
      start: async () => {
        starts.push(now);
        const child = program('exit 1');
        await once(child, 'exit');
        return child;
      },
    });
    for (; now < 25_000; now += 100) await service.tend(now);
    const pauses = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
    expect(pauses.every((pause, i) => pause >= (pauses[i - 1] ?? 0))).toBe(true);
    expect(starts.length).toBeLessThan(10);
    expect(service.view().failures).toBe(starts.length);
  });

  test('is healthy again after it has lived for a while', async () => {
    const { service, started } = serviceOf();
    await service.tend(0);
    await killed(started[0] as ChildProcess);
    await service.tend(100);
    await service.tend(400);
    await service.tend(10_000);
    expect(service.view().failures).toBe(1);
    await service.tend(40_000);
    expect(service.view()).toMatchObject({ failures: 0, restarts: 1 });
  });

  test('that an earlier supervisor left is taken over, and replaced when it dies', async () => {
    const left = program();
    const known = identity(left);
    const { service, started } = serviceOf({ find: () => Promise.resolve(isAlive(known) ? known : null) });
    await service.tend(0);
    expect(started.length).toBe(0);
    await killed(left);
    await service.tend(1000);
    await service.tend(1500);
    expect(started.length).toBe(1);
    expect(service.view().restarts).toBe(1);
  });

  test('that cannot be started says why, and is tried again', async () => {
    let tries = 0;
    const { service } = serviceOf({
      start: () => {
        tries++;
        return Promise.reject(new Error('no room'));
      },
    });
    await service.tend(0);
    expect(service.view()).toMatchObject({ failures: 1, problem: { type: 'HostFailed', message: 'no room' } });
    await service.tend(10_000);
    expect(tries).toBe(2);
  });

  test('that ended by its own account shows its reason', async () => {
    const problem = { type: 'NoDevice' as const, message: 'held by another', fix: 'end it' };
    const { service, started } = serviceOf({ problem: () => Promise.resolve(problem) });
    await service.tend(0);
    await killed(started[0] as ChildProcess);
    await service.tend(100);
    expect(service.view().problem).toEqual(problem);
  });

  test('is ended when it is stopped, also when it was only found', async () => {
    const { service, started } = serviceOf();
    await service.tend(0);
    const own = identity(started[0] as ChildProcess);
    await service.stop();
    expect(isAlive(own)).toBe(false);
    const left = identity(program());
    await serviceOf({ find: () => Promise.resolve(left) }).service.stop();
    expect(isAlive(left)).toBe(false);
  });
});

/** Tends a service every second from `from` on for so many seconds. */
async function tendFor(service: Service, from: number, seconds: number): Promise<void> {
  for (let second = 0; second <= seconds; second++) await service.tend(from + second * 1000);
}

describe('a service that shows signs of life', () => {
  test('is left alone while they change, however long', async () => {
    let beat = 0;
    const { service, started } = serviceOf({ sign: () => Promise.resolve(String((beat += 1))) });
    await tendFor(service, 0, 300);
    expect(started.length).toBe(1);
    expect(isAlive(identity(started[0] as ChildProcess))).toBe(true);
  });

  test('is killed when they stop, though it was stopped itself, and is started again', async () => {
    const { service, started, lines } = serviceOf({ sign: () => Promise.resolve('the same') });
    await service.tend(0);
    const frozen = started[0] as ChildProcess;
    frozen.kill('SIGSTOP');
    const gone = once(frozen, 'exit');
    await tendFor(service, 1000, FROZEN_MS / 1000 - 10);
    expect(frozen.exitCode ?? frozen.signalCode).toBeNull();
    await tendFor(service, FROZEN_MS - 5000, 15);
    await gone;
    expect(frozen.signalCode).toBe('SIGKILL');
    await tendFor(service, 2 * FROZEN_MS, 2);
    expect(started.length).toBe(2);
    expect(lines.some((line) => line.includes('no sign of life'))).toBe(true);
  });

  test('may take longer before the first one, since it is still loading', async () => {
    const { service, started } = serviceOf({ sign: () => Promise.resolve(null) });
    await tendFor(service, 0, (2 * FROZEN_MS) / 1000);
    expect(isAlive(identity(started[0] as ChildProcess))).toBe(true);
  });

  test('is not blamed for the time that the whole machine slept', async () => {
    const { service, started } = serviceOf({ sign: () => Promise.resolve('the same') });
    for (const now of [0, 2000, 10_000_000, 20_000_000]) await service.tend(now);
    expect(isAlive(identity(started[0] as ChildProcess))).toBe(true);
  });
});

describe('the end of a process', () => {
  test('is its own when it follows SIGTERM', async () => {
    const child = program('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    await Promise.all([once(child, 'exit'), endProcess(identity(child), 10_000)]);
    expect(child.exitCode).toBe(7);
  });

  test('is by force when it does not', async () => {
    const child = program('trap "" TERM; echo ready; while :; do sleep 0.05; done');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const known = identity(child);
    await Promise.all([once(child, 'exit'), endProcess(known, 100)]);
    expect(child.signalCode).toBe('SIGKILL');
    expect(isAlive(known)).toBe(false);
  });

  test('never hits another process with the same pid', async () => {
    const child = program();
    await endProcess({ ...identity(child), startTime: '1' }, 100);
    await sleep(50);
    expect(isAlive(identity(child))).toBe(true);
  });
});
