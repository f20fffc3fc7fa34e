import { describe, expect, it } from 'vitest';
import { parseDeviceSpec } from '../../../src/domain/device-spec.ts';
import { Device } from '../../../src/domain/device.ts';
import { pickHosted } from '../../../src/domain/hosted-devices.ts';

const cpu = (number: number, host = 'here'): Device =>
  Device.parse({ name: `cpu${number}`, host, kind: 'cpu', queue: `device.${host}.cpu${number}`, uuid: null, memoryMiB: null });
const gpu = (uuid: string): Device =>
  Device.parse({
    name: `gpu-${uuid}`,
    host: 'here',
    kind: 'gpu',
    queue: `device.here.gpu-${uuid}`,
    uuid: `GPU-${uuid}`,
    memoryMiB: 8000,
  });
const found = { gpus: ['aaaa', 'bbbb'].map((uuid, index) => ({ index, uuid: `GPU-${uuid}`, model: 'm', memoryMiB: 8000 })) };

const pick = (text: string, hosted: readonly Device[]) => {
  const { devices, missing } = pickHosted(parseDeviceSpec(text), hosted, found);
  return { names: devices.map(({ name }) => String(name)), missing };
};

describe('pickHosted', () => {
  it('takes as many CPU slots as are asked for, in the order of their numbers', () => {
    expect(pick('cpu:2', [cpu(10), cpu(2), cpu(0)])).toEqual({ names: ['cpu0', 'cpu2'], missing: [] });
  });

  it('says how many slots have no worker', () => {
    expect(pick('cpu:3', [cpu(0)])).toEqual({ names: ['cpu0'], missing: ['2 CPU slots'] });
    expect(pick('cpu:2', [cpu(0)])).toEqual({ names: ['cpu0'], missing: ['1 CPU slot'] });
  });

  it('takes all slots for cpu without a number', () => {
    expect(pick('cpu', [cpu(1), cpu(0), gpu('aaaa')]).names).toEqual(['cpu0', 'cpu1']);
  });

  it('prefers GPUs to CPU slots when it may choose', () => {
    expect(pick('auto', [cpu(0), gpu('aaaa')]).names).toEqual(['gpu-aaaa']);
    expect(pick('auto', [cpu(0)]).names).toEqual(['cpu0']);
    expect(pick('auto', [])).toEqual({ names: [], missing: [] });
  });

  it('finds GPUs by their number on this host and by their uuid', () => {
    expect(pick('gpu:1,0', [gpu('aaaa'), gpu('bbbb')]).names).toEqual(['gpu-bbbb', 'gpu-aaaa']);
    expect(pick('gpu:GPU-BBBB', [gpu('aaaa'), gpu('bbbb')]).names).toEqual(['gpu-bbbb']);
    expect(pick('gpu', [gpu('bbbb'), cpu(0), gpu('aaaa')]).names).toEqual(['gpu-aaaa', 'gpu-bbbb']);
  });

  it('names the GPUs without a worker', () => {
    expect(pick('gpu:0,1,7', [gpu('aaaa')])).toEqual({ names: ['gpu-aaaa'], missing: ['gpu:1', 'gpu:7'] });
  });

  it('keeps the devices of one host together', () => {
    expect(pick('cpu:2', [cpu(0, 'b'), cpu(0, 'a'), cpu(1, 'a')]).names).toEqual(['cpu0', 'cpu1']);
  });
});
