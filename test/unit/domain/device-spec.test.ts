import { describe, expect, test } from 'vitest';
import { chooseDevices, hostLabel, parseDeviceSpec, type FoundDevices, type FoundGpu } from '../../../src/domain/device-spec.ts';
import { Device } from '../../../src/domain/device.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';

const naming = { host: 'lab', queuePrefix: 'p.' };

function gpu(index: number, start: string): FoundGpu {
  return { index, uuid: `GPU-${start}-0000-1111-2222-333344445555`, model: 'H200', memoryMiB: 143771 };
}

function found(change: Partial<FoundDevices> = {}): FoundDevices {
  return { gpus: [], cores: 8, notes: [], ...change };
}

function failureOf(run: () => unknown): PlatformFailure {
  try {
    run();
  } catch (error) {
    if (error instanceof PlatformFailure) return error;
  }
  throw new Error('it did not fail as it should');
}

describe('a device specification', () => {
  test.each([
    ['auto', { kind: 'auto' }],
    [' cpu:2 ', { kind: 'cpu', slots: 2 }],
    ['cpu', { kind: 'cpu', slots: null }],
    ['gpu', { kind: 'gpu', entries: [] }],
    ['gpu:0, 1', { kind: 'gpu', entries: ['0', '1'] }],
    ['gpu:GPU-1a2b3c4d', { kind: 'gpu', entries: ['GPU-1a2b3c4d'] }],
  ])('%s is understood', (text, spec) => {
    expect(parseDeviceSpec(text)).toEqual(spec);
  });

  test.each([
    '',
    'cpu:',
    'cpu:0',
    'cpu:-1',
    'cpu:two',
    'cpu:1.5',
    'cpu:9999',
    'gpu:',
    'gpu:a',
    'gpu:0,',
    'gpu:0,0',
    'auto:2',
    'tpu:1',
    'cpu:1:2',
  ])('"%s" is refused with the allowed forms', (text) => {
    const failure = failureOf(() => parseDeviceSpec(text));
    expect(failure.type).toBe('ConfigInvalid');
    expect(failure.message).toContain(`"${text}"`);
    expect(failure.fix).toContain('cpu:2');
    expect(failure.fix).toContain('gpu:0,1');
  });
});

describe('devices chosen on this host', () => {
  test('are CPU slots without a GPU, four at most, and it is said', () => {
    const { devices, warnings } = chooseDevices({ kind: 'auto' }, found(), naming);
    expect(devices.map(({ name }) => name)).toEqual(['cpu0', 'cpu1', 'cpu2', 'cpu3']);
    expect(devices[1]).toEqual({
      name: 'cpu1',
      host: 'lab',
      kind: 'cpu',
      queue: 'p.device.lab.cpu1',
      uuid: null,
      memoryMiB: null,
    });
    expect(warnings).toEqual(['no GPU found: using 4 CPU slots']);
    expect(chooseDevices({ kind: 'auto' }, found({ cores: 1 }), naming).warnings).toEqual(['no GPU found: using 1 CPU slot']);
  });

  test('are all GPUs where there are any, with their uuid and memory', () => {
    const { devices, warnings } = chooseDevices(
      { kind: 'auto' },
      found({ gpus: [gpu(0, '1A2B3C4D'), gpu(1, '99999999')] }),
      naming,
    );
    expect(devices.map(({ name, queue, memoryMiB }) => [name, queue, memoryMiB])).toEqual([
      ['gpu-1a2b3c4d', 'p.device.lab.gpu-1a2b3c4d', 143771],
      ['gpu-99999999', 'p.device.lab.gpu-99999999', 143771],
    ]);
    expect(devices[0]?.uuid).toBe(gpu(0, '1A2B3C4D').uuid);
    expect(warnings).toEqual([]);
  });

  test('keep the order in which GPUs are named, by number or by the start of the uuid', () => {
    const host = found({ gpus: [gpu(0, 'aaaaaaaa'), gpu(1, 'bbbbbbbb'), gpu(2, 'cccccccc')] });
    const { devices } = chooseDevices(parseDeviceSpec('gpu:2,GPU-AAAA'), host, naming);
    expect(devices.map(({ name }) => name)).toEqual(['gpu-cccccccc', 'gpu-aaaaaaaa']);
  });

  test('never share a name, even when two uuids start alike', () => {
    const gpus = [gpu(0, 'aaaaaaaa'), { ...gpu(1, 'aaaaaaaa'), uuid: 'GPU-aaaaaaaa-ffff-1111-2222-333344445555' }];
    const { devices } = chooseDevices({ kind: 'auto' }, found({ gpus }), naming);
    expect(new Set(devices.map(({ queue }) => queue)).size).toBe(2);
  });

  test('may be numbers of CUDA_VISIBLE_DEVICES alone, and MIG devices', () => {
    const mig = { index: null, uuid: 'MIG-12345678-aaaa', model: 'named', memoryMiB: null };
    const { devices } = chooseDevices({ kind: 'auto' }, found({ gpus: [{ ...gpu(0, ''), uuid: '0' }, mig] }), naming);
    expect(devices.map(({ name, uuid }) => [name, uuid])).toEqual([
      ['gpu-0', '0'],
      ['mig-12345678', 'MIG-12345678-aaaa'],
    ]);
  });

  test('are refused when a GPU is asked for that is not there, with those that are', () => {
    const failure = failureOf(() =>
      chooseDevices(parseDeviceSpec('gpu:0,5'), found({ gpus: [gpu(0, 'aaaaaaaa'), gpu(3, 'bbbbbbbb')] }), naming),
    );
    expect(failure.type).toBe('NoDevice');
    expect(failure.message).toContain('gpu:5');
    expect(failure.message).toContain('gpu:0,3');
    expect(failureOf(() => chooseDevices(parseDeviceSpec('gpu'), found(), naming)).message).toContain('no GPU was found');
  });

  test('are refused when one GPU is named in two ways', () => {
    const host = found({ gpus: [gpu(0, 'aaaaaaaa')] });
    expect(failureOf(() => chooseDevices(parseDeviceSpec('gpu:0,GPU-aaaaaaaa'), host, naming)).type).toBe('ConfigInvalid');
  });

  test('warn above the number of cores, and when GPUs are left unused', () => {
    expect(chooseDevices({ kind: 'cpu', slots: 3 }, found({ cores: 2 }), naming).warnings).toEqual([
      expect.stringContaining('3 CPU slots on 2 cores'),
    ]);
    expect(chooseDevices({ kind: 'cpu', slots: 2 }, found({ gpus: [gpu(0, 'a')] }), naming).warnings).toEqual([
      expect.stringContaining('leaves them unused'),
    ]);
    expect(chooseDevices({ kind: 'cpu', slots: 2 }, found({ cores: 2 }), naming).warnings).toEqual([]);
  });

  test('carry what the search for them had to say', () => {
    const notes = ['nvidia-smi does not work: driver'];
    expect(chooseDevices({ kind: 'auto' }, found({ notes }), naming).warnings).toEqual([
      'no GPU found: using 4 CPU slots',
      ...notes,
    ]);
  });

  test('fit the schema that crosses to the workflow', () => {
    const { devices } = chooseDevices({ kind: 'auto' }, found({ gpus: [gpu(0, 'ABCDEF01')] }), {
      host: hostLabel('My_Host.Example'),
      queuePrefix: '',
    });
    expect(devices.map((device) => Device.parse(device))).toEqual(devices);
  });
});

test.each([
  ['My_Host.Example', 'my-host.example'],
  ['-_x', 'x'],
  ['', 'localhost'],
  ['ü', 'localhost'],
])('the host %s is labelled %s', (name, label) => {
  expect(hostLabel(name)).toBe(label);
});
