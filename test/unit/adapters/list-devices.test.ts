import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findDevices, parseNvidiaSmi, parseVisibleDevices, restrictGpus, thisHost } from '../../../src/adapters/list-devices.ts';

/** As the tool prints it on hosts with eight GPUs, and with one whose memory it cannot tell. */
const EIGHT = Array.from(
  { length: 8 },
  (_, i) => `${i}, GPU-${i}a2b3c4d-0000-1111-2222-33334444555${i}, NVIDIA H200, 143771`,
).join('\n');
const NOT_TOLD = '0, GPU-1a2b3c4d-0000-1111-2222-333344445555, NVIDIA GB10, [N/A]\n';

/** A folder for PATH with an `nvidia-smi` of our own, and nothing else. */
function toolThat(script: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'scientist-smi-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'nvidia-smi'), 0o755);
  return { PATH: folder };
}

describe('what nvidia-smi prints', () => {
  test('for eight GPUs is read line by line', () => {
    const { gpus, problems } = parseNvidiaSmi(`${EIGHT}\n`);
    expect(gpus.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(gpus[7]).toEqual({
      index: 7,
      uuid: 'GPU-7a2b3c4d-0000-1111-2222-333344445557',
      model: 'NVIDIA H200',
      memoryMiB: 143771,
    });
    expect(problems).toEqual([]);
  });

  test('may leave the memory open', () => {
    expect(parseNvidiaSmi(NOT_TOLD).gpus).toEqual([
      { index: 0, uuid: 'GPU-1a2b3c4d-0000-1111-2222-333344445555', model: 'NVIDIA GB10', memoryMiB: null },
    ]);
  });

  test.each(['', '\n', 'No devices were found\n'])('%j means none', (text) => {
    expect(parseNvidiaSmi(text)).toEqual({ gpus: [], problems: [] });
  });

  test('of another form is a problem in words, and the rest counts', () => {
    const { gpus, problems } = parseNvidiaSmi(
      `Unable to determine the device handle for GPU0000:01:00.0: Unknown Error\n${NOT_TOLD}`,
    );
    expect(gpus.length).toBe(1);
    expect(problems).toEqual([expect.stringContaining('Unable to determine')]);
  });
});

describe('CUDA_VISIBLE_DEVICES', () => {
  test.each([
    [undefined, null],
    ['', []],
    ['-1', []],
    ['NoDevFiles', []],
    ['0,1', ['0', '1']],
    [' 2 , GPU-1a2b ', ['2', 'GPU-1a2b']],
    ['0,-1,1', ['0']],
    ['MIG-aa', ['MIG-aa']],
  ])('%j is read as CUDA does', (text, entries) => {
    expect(parseVisibleDevices(text)).toEqual(entries);
  });

  test('restricts and orders what the tool lists', () => {
    const { gpus } = parseNvidiaSmi(EIGHT);
    expect(restrictGpus(gpus, ['5', 'GPU-1A2B', '5']).gpus.map(({ index }) => index)).toEqual([5, 1]);
    expect(restrictGpus(gpus, null).gpus).toEqual(gpus);
  });

  test('may name a MIG device, which passes, and one that is not there, which is noted', () => {
    const { gpus, notes } = restrictGpus(parseNvidiaSmi(EIGHT).gpus, ['MIG-aa', '9']);
    expect(gpus.map(({ uuid }) => uuid)).toEqual(['MIG-aa']);
    expect(notes).toEqual([expect.stringContaining('names 9')]);
  });
});

describe('the devices of a host', () => {
  const cores = availableParallelism();

  test('without the tool are its cores', async () => {
    expect(await findDevices({ PATH: '/nowhere' })).toEqual({ gpus: [], cores, notes: [] });
  });

  test('without the tool are those that the variable names', async () => {
    const { gpus } = await findDevices({ PATH: '/nowhere', CUDA_VISIBLE_DEVICES: '3,GPU-aabbccdd' });
    expect(gpus.map(({ index, uuid }) => [index, uuid])).toEqual([
      [3, '3'],
      [null, 'GPU-aabbccdd'],
    ]);
  });

  test('are asked of the tool, restricted by the variable', async () => {
    const env = toolThat(`echo '${EIGHT.replaceAll('\n', "'; echo '")}'`);
    expect((await findDevices(env)).gpus.length).toBe(8);
    expect((await findDevices({ ...env, CUDA_VISIBLE_DEVICES: '1' })).gpus.map(({ index }) => index)).toEqual([1]);
  });

  test('are hidden by an empty variable, whatever the tool says', async () => {
    const found = await findDevices({ ...toolThat(`echo '${NOT_TOLD}'`), CUDA_VISIBLE_DEVICES: '' });
    expect(found.gpus).toEqual([]);
    expect(found.notes).toEqual([expect.stringContaining('hides every GPU')]);
  });

  test('are none, with a note, when the driver does not answer the tool', async () => {
    const found = await findDevices(
      toolThat('echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9'),
    );
    expect(found).toMatchObject({ gpus: [], notes: [expect.stringContaining('communicate with the NVIDIA driver')] });
  });

  test('are none, without a note, when the tool finds none', async () => {
    expect(await findDevices(toolThat('echo "No devices were found"; exit 6'))).toMatchObject({ gpus: [], notes: [] });
  });

  test('are none, with a note, when the tool hangs', async () => {
    const found = await findDevices(toolThat('while :; do :; done'), { timeoutMs: 200 });
    expect(found).toMatchObject({ gpus: [], notes: [expect.stringContaining('no answer within 200 ms')] });
  });
});

test('this host has a label that fits into a queue name', () => {
  expect(thisHost()).toMatch(/^[a-z0-9][a-z0-9.-]{0,80}$/);
});
