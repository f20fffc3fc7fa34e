import { expect, test } from 'vitest';
import { ResolvedConfig, RunConfig } from '../../../src/domain/config.ts';
import { RunPlan } from '../../../src/domain/run-plan.ts';
import { testPlan } from '../../support/plan.ts';

/** What `run.json` and the inputs of workflows of earlier releases lack is as if it had its default. */

/** A copy without some keys, dotted. */
function without(value: object, keys: readonly string[]): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  for (const key of keys) {
    const path = key.split('.');
    const last = path.at(-1) ?? '';
    const inner = path.slice(0, -1).reduce<unknown>((at, name) => Reflect.get(at as object, name), copy) as object;
    expect(Object.hasOwn(inner, last), key).toBe(true);
    Reflect.deleteProperty(inner, last);
  }
  return copy;
}

test('a configuration of 0.2.0 is read', () => {
  const config = RunConfig.parse({ task: 'digits' });
  const since = ['selection', 'exploration', 'beam_width', 'target'].map((key) => `search.${key}`);
  const strategy = ['stages', 'module', 'export'].map((key) => `strategy.${key}`);
  expect(ResolvedConfig.parse(without(config, ['async', 'max_devices', ...since, ...strategy]))).toEqual(config);
});

test('a plan of 0.2.0 is read', () => {
  const plan = testPlan();
  expect(RunPlan.parse(without(plan, ['async', 'maxDevices', 'stageStrategies']))).toEqual(plan);
});
