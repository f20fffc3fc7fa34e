import { expect, test } from 'vitest';
import { DeviceHealth, makeDeviceHealth } from '../../../src/activities/device-health.ts';
import type { EvaluateInput } from '../../../src/domain/evaluation.ts';
import { DeviceName, nodeId, Ref, RunId } from '../../../src/domain/ids.ts';

const input: EvaluateInput = {
  runId: RunId.parse('r'),
  stage: 'initial_implementation',
  node: nodeId(1),
  experiment: Ref.parse('0'.repeat(32)),
  kind: 'measure',
  dataset: 'digits',
  seed: 1,
  dispatch: 1,
};

test('a device is free, then runs what it was given, then is free again, also after a failure', async () => {
  let end: (error: Error) => void = () => undefined;
  const { evaluate, deviceHealth } = makeDeviceHealth(DeviceName.parse('cpu0'), () => new Promise((_, reject) => (end = reject)));
  expect(await deviceHealth()).toMatchObject({ device: 'cpu0', pid: process.pid, running: null });
  const evaluation = evaluate(input);
  const busy = DeviceHealth.parse(await deviceHealth());
  expect(busy.running?.input).toEqual(input);
  end(new Error('no'));
  await expect(evaluation).rejects.toThrow('no');
  expect((await deviceHealth()).running).toBeNull();
});
