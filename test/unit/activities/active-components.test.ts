import { expect, test } from 'vitest';
import { makeActiveComponents } from '../../../src/activities/active-components.ts';
import { RunId } from '../../../src/domain/ids.ts';
import { proposingRun } from '../../support/proposing-run.ts';

/** The keys of the probe's point, as the activity tells them of an experiment with these parameters. */
async function componentsOf(values: Record<string, string | number | boolean>) {
  const run = await proposingRun();
  const experiment = await run.journal(0, { id: 'n1', status: 'good', metric: 0.5, scores: { a: 0.5 } }, values);
  const { keys, intact } = await makeActiveComponents({ home: run.home })({ runId: RunId.parse('test-run'), experiment });
  const withoutKnobs = (list: readonly string[]) => list.filter((key) => !key.startsWith('knob.'));
  return { keys: withoutKnobs(keys), intact: withoutKnobs(intact) };
}

test('names the keys that count under the parameters, and of them those that are not ablated already', async () => {
  const quadratic = await componentsOf({ family: 'quadratic', x: 0, y: 3, z: 'low', sharp: true });
  expect(quadratic.keys).toEqual(['family', 'sharp', 'x', 'y', 'z']);
  expect(quadratic.intact).toEqual(['family', 'sharp', 'y']);
  const wave = await componentsOf({ family: 'wave', x: 0.5, y: 0, z: 'high', sharp: false, rate: 0.01 });
  expect(wave.keys).toEqual(['family', 'rate', 'sharp', 'x', 'y', 'z']);
  expect(wave.intact).toEqual(['family', 'x', 'z']);
});
