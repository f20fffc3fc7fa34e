import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolveRun, type ResolveRunDeps } from '../../../src/activities/resolve-run.ts';
import { loadRun } from '../../../src/adapters/run-store.ts';
import { Device } from '../../../src/domain/device.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cpu = { name: 'cpu0', host: 'here', kind: 'cpu', queue: 'p.device.here.cpu0', uuid: null, memoryMiB: null };
const CONFIG = `task: probe
strategy:
  name: mine
  module: a.ts
  export: a
  stages: { baseline_tuning: { name: yours, module: b.ts, export: b, options: { n: 2 } } }
`;

function project(strategyName?: ResolveRunDeps['strategyName']) {
  const home = { root: temporaryFolder() };
  writeFileSync(join(home.root, 'my.yaml'), CONFIG);
  const deps: ResolveRunDeps = {
    home,
    queuePrefix: 'p.',
    hostedDevices: () => Promise.resolve([Device.parse(cpu)]),
    registeredSearchAttributes: () => Promise.resolve([]),
    deviceWaitMs: 0,
    ...(strategyName === undefined ? {} : { strategyName }),
  };
  const asking = { workflowId: 'run-1', signal: new AbortController().signal };
  return { home, resolve: () => resolveRun(deps, { config: 'my.yaml' }, asking) };
}

it('the plan names strategies of users as the workflow code does; the config keeps what the person wrote', async () => {
  const { home, resolve } = project(({ module, export: exported }) =>
    Promise.resolve(`own:${String(module)}:${String(exported)}`),
  );
  const plan = await resolve();
  expect(plan.strategy).toEqual({ name: 'own:a.ts:a', options: {} });
  expect(plan.stageStrategies).toEqual({ baseline_tuning: { name: 'own:b.ts:b', options: { n: 2 } } });
  const { config } = await loadRun(home, 'run-1');
  expect(config.strategy).toMatchObject({ name: 'mine', module: 'a.ts', stages: { baseline_tuning: { module: 'b.ts' } } });
  expect(await resolve()).toEqual(plan);
});

it('nothing is kept of a run whose strategy the worker lacks, so that it can be tried again', async () => {
  let isThere = false;
  const { home, resolve } = project(() => {
    if (!isThere) return Promise.reject(new PlatformFailure('HostFailed', 'not yet', 'Nothing.'));
    return Promise.resolve('own:there');
  });
  await expect(resolve()).rejects.toMatchObject({ type: 'HostFailed', retryable: true });
  await expect(loadRun(home, 'run-1')).rejects.toMatchObject({ type: 'ArtifactMissing' });
  isThere = true;
  expect((await resolve()).strategy.name).toBe('own:there');
});

it('a worker that takes none refuses them by the file', async () => {
  await expect(project().resolve()).rejects.toMatchObject({
    type: 'StrategyRefused',
    message: expect.stringContaining('a.ts') as unknown,
  });
});
