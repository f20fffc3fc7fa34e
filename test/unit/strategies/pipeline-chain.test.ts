import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blame } from '../../../src/strategies/pipeline-chain.ts';
import { counterfactualPairs, stageUnits, upstreamOf } from '../../vectors/reference/pipeline.ts';

const chain = ['prepare', 'train', 'evaluate'];

describe('a chain of stages', () => {
  test('knows what each stage rests on', () => {
    expect(chain.map((stage) => upstreamOf(chain, stage))).toEqual([[], ['prepare'], ['prepare', 'train']]);
    expect(() => upstreamOf(chain, 'report')).toThrow(new RangeError('the chain has no stage named report'));
  });

  test('blames the earliest stage that failed, and none when none is known to have', () => {
    const success = (entries: Record<string, boolean>) => blame(chain, new Map(Object.entries(entries)));
    expect(success({ evaluate: false, train: false })).toBe('train');
    expect(success({ prepare: true })).toBeNull();
    expect(success({ report: false })).toBeNull();
  });

  test('whatever failed, all stages upstream of the one to blame did not', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.boolean()),
        (stages, luck) => {
          const success = new Map(stages.map((stage) => [stage, luck.next().value]));
          const blamed = blame(stages, success);
          const sound = blamed === null ? stages : upstreamOf(stages, blamed);
          expect(sound.every((stage) => success.get(stage) === true)).toBe(true);
          if (blamed !== null) expect(success.get(blamed)).toBe(false);
        },
      ),
    );
  });

  test('is told from another by the version of one stage', () => {
    expect(counterfactualPairs('train')).toEqual([['old:train', 'new:train']]);
  });

  test('gives every worker a stage, around again, and all items', () => {
    const units = stageUnits(chain, 4, ['a', 'b']);
    expect(units.map(({ worker, stage }) => [worker, stage])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 0],
    ]);
    expect(units.every(({ keys }) => keys.join() === 'a,b')).toBe(true);
  });

  test('without stages has work for nobody', () => {
    expect(stageUnits([], 0, ['a'])).toEqual([]);
    expect(() => stageUnits([], 1, ['a'])).toThrow(new RangeError('the chain has no stages'));
  });
});
