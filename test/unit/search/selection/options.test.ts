import { describe, expect, test } from 'vitest';
import { planLines } from '../../../../src/cli/text/plan-text.ts';
import { readConfig } from '../../../../src/domain/config-reading.ts';
import { RunConfig } from '../../../../src/domain/config.ts';
import { RunId } from '../../../../src/domain/ids.ts';
import { planRun } from '../../../../src/domain/resolve.ts';
import { RunPlan } from '../../../../src/domain/run-plan.ts';
import { Task } from '../../../../src/domain/task.ts';
import { testPlan } from '../../../support/plan.ts';

const task = Task.parse({
  name: 'probe',
  goal: 'be good',
  metric: { name: 'score', direction: 'maximize' },
  datasets: ['a', 'b'],
  entry: 'train.py',
  components: { x: { type: 'bool', default: true, ablated: false, group: 'g' } },
});

function planOf(search: Record<string, unknown>): RunPlan {
  return planRun({
    config: RunConfig.parse({ search }),
    task,
    devices: testPlan().devices,
    runId: RunId.parse('probe-1'),
    queuePrefix: '',
    searchAttributes: [],
  }).plan;
}

function warnings(raw: Record<string, unknown>): readonly string[] {
  const reading = readConfig(raw);
  if (reading.status === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading.warnings;
}

describe('the selection of a config', () => {
  test('is the best with the usual numbers, and goes into the plan', () => {
    expect(planOf({}).search.selection).toEqual({ name: 'best', exploration: 1.4, beamWidth: 3 });
    expect(planOf({ selection: 'puct', exploration: 0, beam_width: 7 }).search.selection).toEqual({
      name: 'puct',
      exploration: 0,
      beamWidth: 7,
    });
  });

  test('is refused by an unknown name with those that there are', () => {
    const reading = readConfig({ search: { selection: 'pcut' } });
    const problems = reading.status === 'refused' ? reading.problems : [];
    expect(problems.map(({ path }) => path.join('.'))).toEqual(['search.selection']);
    expect(JSON.stringify(problems)).toMatch(/best.*beam.*puct.*uct.*pareto.*novelty.*clades/);
  });

  test.each([{ exploration: -1 }, { beam_width: 0 }, { beam_width: 1.5 }, { target: 'high' }])('refuses %j', (search) => {
    expect(readConfig({ search }).status).toBe('refused');
  });

  test('is none in a plan of an earlier release, which is read as it is', () => {
    const plan = testPlan();
    expect(plan.search).toEqual({ policy: 'best_first', numDrafts: 3, debugProb: 0.5, maxDebugDepth: 3, ablationPairs: false });
    expect(RunPlan.parse(structuredClone(plan))).toEqual(plan);
  });
});

describe('the target of a config', () => {
  test('ends stages 2 and 3, and comes before patience', () => {
    const rules = (search: Record<string, unknown>) => planOf(search).stages.map((stage) => stage.rules);
    const target = { rule: 'target', value: -0.5 };
    const patience = { rule: 'patience', nodes: 4 };
    expect(rules({ target: -0.5 }).slice(1)).toEqual([[target], [target], []]);
    expect(rules({ target: -0.5, patience: 4 }).slice(1)).toEqual([[target, patience], [target, patience], []]);
    expect(rules({}).slice(1)).toEqual([[], [], []]);
  });
});

describe('a plan in words', () => {
  const words = (search: Record<string, unknown>) => planLines({ plan: planOf(search), ignoredKeys: [] }).join('\n');

  test('names the target', () => {
    expect(words({ target: 0.9, patience: 4 })).toContain('done at 0.9 or better, done after 4 without a better one');
  });

  test('names the selection with the number that counts, and not the usual one', () => {
    expect(words({})).not.toContain('improve by');
    expect(words({ selection: 'puct' })).toContain('improve by puct, exploration 1.4');
    expect(words({ selection: 'beam', beam_width: 5 })).toContain('improve by beam, 5 wide');
    expect(words({ selection: 'novelty' })).toMatch(/improve by novelty$/m);
  });
});

describe('a warning is given of', () => {
  const idle = { stage1_max_iters: 3, stage3_max_iters: 0 };

  test.each<[Record<string, unknown>, string]>([
    [{ agent: { stages: idle }, search: { selection: 'puct' } }, 'search.selection has no effect: stage 3 is off'],
    [{ search: { exploration: 2 } }, 'search.exploration has no effect: search.selection is best.'],
    [{ search: { selection: 'puct', beam_width: 2 } }, 'search.beam_width has no effect: search.selection is puct.'],
    [
      { agent: { stages: { stage2_max_iters: 0, stage3_max_iters: 0 } }, search: { target: 1 } },
      'search.target has no effect: stages 2 and 3 are off.',
    ],
  ])('%j', (raw, text) => {
    expect(warnings(raw)).toEqual([expect.stringContaining(text)]);
  });

  test.each<Record<string, unknown>>([
    { search: { selection: 'uct', exploration: 2 } },
    { search: { selection: 'beam', beam_width: 2 } },
    { search: { selection: 'puct' }, agent: { stages: { stage3_max_iters: 0 } } },
    { search: { selection: 'best' }, agent: { stages: idle } },
    { search: { target: 1 }, agent: { stages: { stage3_max_iters: 0 } } },
  ])('none of %j', (raw) => {
    expect(warnings(raw)).toEqual([]);
  });
});
