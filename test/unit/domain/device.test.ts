import { describe, expect, test } from 'vitest';
import { controlQueue, Device, deviceQueue, healthQueue, proposalsQueue, newAllocator } from '../../../src/domain/device.ts';
import { testPlan } from '../../support/plan.ts';

const device = (name: string, host = 'here') =>
  Device.parse({ name, host, kind: 'cpu', queue: deviceQueue('', host, name), uuid: null, memoryMiB: null });
const devices = ['cpu0', 'cpu1', 'cpu2'].map((name) => device(name));
const names = (...list: string[]) => new Set(list.map((name) => device(name).queue));

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
    const allocator = newAllocator(devices);
    const taken = [allocator.take(names()), allocator.take(names()), allocator.take(names())];
    expect(taken.map(({ name }) => name)).toEqual(['cpu0', 'cpu1', 'cpu2']);
    expect(allocator.hasFree()).toBe(false);
    if (taken[1] !== undefined) allocator.giveBack(taken[1]);
    expect(allocator.hasFree()).toBe(true);
    expect(allocator.take(names()).name).toBe('cpu1');
  });

  test('has no more of them taken than it may', () => {
    const allocator = newAllocator(devices, 2);
    const first = allocator.take(names());
    expect([allocator.hasFree(), allocator.canServe(names())]).toEqual([true, true]);
    allocator.take(names());
    expect([allocator.hasFree(), allocator.canServe(names())]).toEqual([false, false]);
    expect(() => allocator.take(names())).toThrow('no device is free');
    allocator.giveBack(first);
    expect(allocator.take(names()).name).toBe('cpu0');
  });

  test('never gives a device twice', () => {
    const allocator = newAllocator(devices.slice(0, 1));
    allocator.take(names());
    expect(() => allocator.take(names())).toThrow('no device is free');
  });

  test('leaves out devices to avoid as long as there is another', () => {
    const allocator = newAllocator(devices);
    expect(allocator.take(names('cpu0')).name).toBe('cpu1');
    expect(allocator.take(names('cpu0', 'cpu1')).name).toBe('cpu2');
    expect(allocator.take(names('cpu0', 'cpu1')).name).toBe('cpu0');
  });

  test('serves one that avoids a device only by another one, unless the run has no other', () => {
    const allocator = newAllocator(devices.slice(0, 2));
    const avoided = names('cpu0');
    expect(allocator.take(avoided).name).toBe('cpu1');
    expect([allocator.hasFree(), allocator.canServe(avoided), allocator.canServe(names())]).toEqual([true, false, true]);
    allocator.setLost(device('cpu1').queue, true);
    expect(allocator.canServe(avoided)).toBe(true);
  });

  test('gives a device that is rather not wanted only when no other is free', () => {
    const allocator = newAllocator(devices.slice(0, 2));
    expect(allocator.take(names(), names('cpu0')).name).toBe('cpu1');
    expect(allocator.take(names(), names('cpu0')).name).toBe('cpu0');
  });

  test('gives no lost device until it is back, and one that came later like any other', () => {
    const allocator = newAllocator(devices.slice(0, 1));
    allocator.setLost(device('cpu0').queue, true);
    expect(allocator.hasFree()).toBe(false);
    allocator.add(device('cpu1'));
    allocator.add(device('cpu1'));
    expect(allocator.devices()).toHaveLength(2);
    expect(allocator.take(names()).name).toBe('cpu1');
    allocator.setLost(device('cpu0').queue, false);
    expect(allocator.take(names()).name).toBe('cpu0');
  });

  test('takes back a device once, however often it is given', () => {
    const allocator = newAllocator(devices.slice(0, 1));
    const taken = allocator.take(names());
    allocator.giveBack(taken);
    allocator.giveBack(taken);
    allocator.take(names());
    expect(allocator.hasFree()).toBe(false);
  });

  test('tells devices of the same name on two hosts apart', () => {
    const allocator = newAllocator([device('cpu0', 'desk'), device('cpu0', 'tower')]);
    expect([allocator.take(names()).host, allocator.take(names()).host]).toEqual(['desk', 'tower']);
  });

  test('keeps nothing between two runs over the same devices', () => {
    newAllocator(devices).take(names());
    expect(newAllocator(devices).take(names()).name).toBe('cpu0');
    expect(testPlan().devices.map(({ queue }) => queue)).toEqual(['device.here.cpu0', 'device.here.cpu1']);
  });
});
