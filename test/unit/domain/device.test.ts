import { describe, expect, test } from 'vitest';
import { controlQueue, Device, deviceQueue, healthQueue, proposalsQueue, staticAllocator } from '../../../src/domain/device.ts';
import { DeviceName } from '../../../src/domain/ids.ts';
import { testPlan } from '../../support/plan.ts';

const device = (name: string, host = 'here') =>
  Device.parse({ name, host, kind: 'cpu', queue: deviceQueue('', host, name), uuid: null, memoryMiB: null });
const devices = ['cpu0', 'cpu1', 'cpu2'].map((name) => device(name));
const names = (...list: string[]) => new Set(list.map((name) => DeviceName.parse(name)));

describe('queue names', () => {
  test('are these, since workers and runs of other versions meet on them', () => {
    expect(deviceQueue('', 'desk', 'gpu-1a2b')).toBe('device.desk.gpu-1a2b');
    expect(healthQueue(deviceQueue('t1.', 'desk', 'cpu0'))).toBe('t1.device.desk.cpu0.ctl');
    expect([controlQueue(''), controlQueue('t1.'), proposalsQueue(''), proposalsQueue('t1.')]).toEqual([
      'research',
      't1.research',
      'proposals',
      't1.proposals',
    ]);
  });
});

describe('the allocator', () => {
  test('gives the first free device of the list', () => {
    const allocator = staticAllocator(devices);
    const taken = [allocator.take(names()), allocator.take(names()), allocator.take(names())];
    expect(taken.map(({ name }) => name)).toEqual(['cpu0', 'cpu1', 'cpu2']);
    expect(allocator.hasFree()).toBe(false);
    if (taken[1] !== undefined) allocator.giveBack(taken[1]);
    expect(allocator.hasFree()).toBe(true);
    expect(allocator.take(names()).name).toBe('cpu1');
  });

  test('never gives a device twice', () => {
    const allocator = staticAllocator(devices.slice(0, 1));
    allocator.take(names());
    expect(() => allocator.take(names())).toThrow('no device is free');
  });

  test('leaves out devices to avoid as long as there is another', () => {
    const allocator = staticAllocator(devices);
    expect(allocator.take(names('cpu0')).name).toBe('cpu1');
    expect(allocator.take(names('cpu0', 'cpu1')).name).toBe('cpu2');
    expect(allocator.take(names('cpu0', 'cpu1')).name).toBe('cpu0');
  });

  test('takes back a device once, however often it is given', () => {
    const allocator = staticAllocator(devices.slice(0, 1));
    const taken = allocator.take(names());
    allocator.giveBack(taken);
    allocator.giveBack(taken);
    allocator.take(names());
    expect(allocator.hasFree()).toBe(false);
  });

  test('tells devices of the same name on two hosts apart', () => {
    const allocator = staticAllocator([device('cpu0', 'desk'), device('cpu0', 'tower')]);
    expect([allocator.take(names()).host, allocator.take(names()).host]).toEqual(['desk', 'tower']);
  });

  test('keeps nothing between two runs over the same devices', () => {
    staticAllocator(devices).take(names());
    expect(staticAllocator(devices).take(names()).name).toBe('cpu0');
    expect(testPlan().devices.map(({ queue }) => queue)).toEqual(['device.here.cpu0', 'device.here.cpu1']);
  });
});
