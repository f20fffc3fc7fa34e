import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { watchDevices, type WatchDeps } from '../../../src/activities/watch-devices.ts';
import type { Device } from '../../../src/domain/device.ts';
import type { WatchInput } from '../../../src/domain/watch.ts';
import { deviceNamed, readyRun, type ReadyRun } from '../../support/evaluations.ts';

const SILENT_MS = 200;
const never = new AbortController().signal;

/** Signs of life that go on for every device that is not in `silent`. */
function signsBut(silent: ReadonlySet<string>): WatchDeps['signsOfLife'] {
  let beat = 0;
  return (devices) => {
    beat += 1;
    const living = devices.filter(({ name }) => !silent.has(name));
    return Promise.resolve(new Map(living.map(({ queue }) => [queue, String(beat)])));
  };
}

function watch(ready: ReadyRun, change: { deps?: Partial<WatchDeps>; input?: Partial<WatchInput>; signal?: AbortSignal }) {
  const { devices, runId } = ready.run.plan;
  const deps: WatchDeps = {
    home: ready.home,
    hostedDevices: () => Promise.resolve(devices),
    signsOfLife: signsBut(new Set()),
    pollMs: 10,
    ...change.deps,
  };
  const input: WatchInput = { runId, added: [], lost: [], silentMs: SILENT_MS, ...change.input };
  return watchDevices(deps, input, change.signal ?? never);
}

describe('the watch on devices', () => {
  test('ends when one has been silent for long enough, and names it alone', async () => {
    const ready = await readyRun({ program: 'value.py' });
    const began = Date.now();
    const report = await watch(ready, { deps: { signsOfLife: signsBut(new Set(['cpu1'])) } });
    expect(report).toMatchObject({ lost: [{ queue: 'device.here.cpu1' }], returned: [], added: [] });
    expect(Date.now() - began).toBeGreaterThanOrEqual(SILENT_MS);
  });

  test('says nothing again of one that is known to be lost, until it is heard of', async () => {
    const ready = await readyRun({ program: 'value.py' });
    const silent = new Set(['cpu1']);
    const lost = ['device.here.cpu1'];
    const quiet = await watch(ready, { deps: { signsOfLife: signsBut(silent), limitMs: 2 * SILENT_MS }, input: { lost } });
    expect(quiet).toEqual({ lost: [], returned: [], added: [] });
    const back = watch(ready, { deps: { signsOfLife: signsBut(silent) }, input: { lost } });
    await sleep(SILENT_MS);
    silent.clear();
    expect(await back).toEqual({ lost: [], returned: lost, added: [] });
  });

  test('tells of a device that the run asks for and that is hosted only now, of the same kind and project alone', async () => {
    const ready = await readyRun({ program: 'value.py' });
    const gpu: Device = { ...deviceNamed('gpu0'), kind: 'gpu' };
    const foreign: Device = { ...deviceNamed('cpu7'), queue: 'other.device.here.cpu7' };
    const late = deviceNamed('cpu2');
    const hostedDevices = () => Promise.resolve([...ready.run.plan.devices, gpu, foreign, late]);
    expect(await watch(ready, { deps: { hostedDevices } })).toEqual({ lost: [], returned: [], added: [late] });
    const known = await watch(ready, { deps: { hostedDevices, limitMs: 50 }, input: { added: [late] } });
    expect(known).toEqual({ lost: [], returned: [], added: [] });
  });

  test('is over at once when it is told to end', async () => {
    const ready = await readyRun({ program: 'value.py' });
    const stop = new AbortController();
    const watched = watch(ready, { deps: { pollMs: 60_000 }, signal: stop.signal });
    await sleep(50);
    stop.abort();
    await expect(watched).rejects.toMatchObject({ name: 'AbortError' });
  });
});
