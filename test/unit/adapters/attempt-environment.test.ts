import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { attemptEnvironment } from '../../../src/adapters/attempt-environment.ts';
import { attemptPaths } from '../../../src/adapters/attempt-folder.ts';
import { pythonPath } from '../../../src/adapters/project.ts';
import { Device } from '../../../src/domain/device.ts';
import { deviceNamed, readyRun } from '../../support/evaluations.ts';

async function environment(device: Device = deviceNamed('cpu0'), own: NodeJS.ProcessEnv = {}) {
  const { home, run, input } = await readyRun({ program: 'value.py', dataDir: '/data' });
  return attemptEnvironment(
    { home, run, input, device, paths: attemptPaths('/runs/r/attempts/1.1'), checkpoint: '/checkpoint' },
    own,
  );
}

const gpu = (uuid: string | null): Device =>
  Device.parse({ name: 'gpu-1', host: 'here', kind: 'gpu', queue: 'device.here.gpu-1', uuid, memoryMiB: null });

test('the variables of the contract are these', async () => {
  const all = await environment();
  expect(Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('SCIENTIST_')))).toEqual({
    SCIENTIST_DATASET: 'a',
    SCIENTIST_SEED: '3',
    SCIENTIST_PARAMS: '/runs/r/attempts/1.1/work/parameters.json',
    SCIENTIST_OUT: '/runs/r/attempts/1.1/out',
    SCIENTIST_CHECKPOINT: '/checkpoint',
    SCIENTIST_DEVICE: 'cpu0',
    SCIENTIST_TIME_LIMIT_S: '60',
    SCIENTIST_DATA_DIR: '/data',
    SCIENTIST_RESULTS: '/runs/r/attempts/1.1/results.jsonl',
  });
});

test('of the worker’s own variables only the listed ones are passed on', async () => {
  const own = {
    PATH: '/bin',
    OPENBLAS_CORETYPE: 'Haswell',
    OPENAI_API_KEY: 'secret',
    PYTHONPATH: '/mine',
    HOME: '/home/me',
    HTTPS_PROXY: 'x',
  };
  const all = await environment(undefined, own);
  expect(all).toMatchObject({ PATH: '/bin', OPENBLAS_CORETYPE: 'Haswell', PYTHONHASHSEED: '0', OMP_NUM_THREADS: '1' });
  const values = Object.values(all);
  expect([own.OPENAI_API_KEY, own.PYTHONPATH, own.HOME, own.HTTPS_PROXY].filter((value) => values.includes(value))).toEqual([]);
});

describe('a program sees', () => {
  test.each<[string, Device, string | undefined]>([
    ['no GPU on a CPU slot', deviceNamed('cpu0'), ''],
    ['its own GPU', gpu('GPU-1a2b'), 'GPU-1a2b'],
    ['what the worker sees, where no uuid is known', gpu(null), '2'],
  ])('%s', async (_, device, visible) => {
    expect((await environment(device, { CUDA_VISIBLE_DEVICES: '2' }))['CUDA_VISIBLE_DEVICES']).toBe(visible);
  });
});

test('the helper is importable in it', async () => {
  const env = await environment();
  const { status } = spawnSync(pythonPath(), ['-c', 'import scientist_experiment'], { env });
  expect(status).toBe(0);
});
