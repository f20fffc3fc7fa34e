import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../src/adapters/task-file.ts';
import { ResultLine } from '../../../src/domain/evaluation.ts';
import type { ParameterValue } from '../../../src/domain/experiment.ts';
import { valuesOf } from '../../../src/proposers/search-space/space.ts';
import { countingParameters, runProgram, taskFolder, type ProgramWish } from '../../support/experiment-programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * Real training. Each run costs the start of scikit-learn, so these are few; `node bench/digits-sweep.ts`
 * goes through every family, dataset and corner.
 */

const folder = taskFolder('digits');
const task = await loadTask(folder);

function wish(changes: Record<string, ParameterValue>, rest: Partial<ProgramWish> = {}): ProgramWish {
  return { folder, program: task.entry, dataset: 'digits', parameters: countingParameters(task, changes), ...rest };
}

const parsed = (lines: readonly string[]) => lines.map((line) => ResultLine.parse(JSON.parse(line)));

describe('an evaluation of digits', () => {
  test('the defaults give a mediocre accuracy on the first dataset, with a fold as a step', async () => {
    const { code, lines, output } = await runProgram(wish({}));
    expect(output).toContain('digits seed 0');
    const values = parsed(lines);
    expect({ code, steps: values.map(({ step }) => step) }).toEqual({ code: 0, steps: [0, 1, 2, undefined] });
    expect(values.at(-1)).toMatchObject({ metric: 'accuracy', dataset: 'digits' });
    expect(values.at(-1)?.value).toBeGreaterThan(0.8);
    expect(values.at(-1)?.value).toBeLessThan(0.975);
  });

  test('good settings beat the defaults far beyond the spread over seeds', async () => {
    const good = { 'model.family': 'svm', 'features.scaler': 'standard', 'model.regularisation': 0.1 };
    const [plain, other, tuned] = await Promise.all([
      runProgram(wish({}, { dataset: 'wine' })),
      runProgram(wish({}, { dataset: 'wine', seed: 1 })),
      runProgram(wish(good, { dataset: 'wine' })),
    ]);
    const [a, b, c] = [plain, other, tuned].map(({ lines }) => parsed(lines).at(-1)?.value ?? 0);
    expect(a).not.toBe(b);
    expect(Number(c) - Math.max(Number(a), Number(b))).toBeGreaterThan(2 * Math.abs(Number(a) - Number(b)));
  });

  test('an attempt that follows a killed one goes on from the folds that are done, to an equal value', async () => {
    const place = temporaryFolder();
    const whole = await runProgram(wish({}, { place, dataset: 'breast_cancer' }));
    const again = await runProgram(wish({}, { place, dataset: 'breast_cancer' }));
    const added = parsed(again.lines).slice(whole.lines.length);
    expect(added).toEqual([parsed(whole.lines).at(-1)]);
  });

  test('a combination that cannot work fails with a message that names the trouble', async () => {
    const { code, output, lines } = await runProgram(
      wish({ 'model.family': 'naive_bayes', 'features.scaler': 'standard', 'bayes.kind': 'multinomial' }),
    );
    expect({ code, lines }).toEqual({ code: 1, lines: [] });
    expect(output).toContain('ValueError: Negative values in data passed to MultinomialNB');
  });

  test('the plot program draws PNG files of the confusion and the learning curve', async () => {
    const end = await runProgram(wish({}, { program: task.plot ?? '', dataset: 'wine' }));
    expect(end.output).toBe('');
    expect(end.out).toEqual(['confusion-wine.png', 'learning-wine.png']);
    expect(
      readFileSync(join(end.place, 'out', 'confusion-wine.png'))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });
});

describe('the component space of digits', () => {
  test('has seven families, each with keys of its own or shared ones', () => {
    const families = valuesOf(task, task.family ?? '');
    expect(families).toHaveLength(7);
    for (const family of families) {
      const counting = Object.keys(countingParameters(task, { [task.family ?? '']: family }));
      expect(counting.length, String(family)).toBeGreaterThanOrEqual(4);
    }
  });

  test('most components can be ablated, some of them away from their default', () => {
    const components = Object.values(task.components);
    const ablatable = components.filter((component) => component.ablated !== undefined);
    expect(ablatable.length).toBeGreaterThan(components.length / 2);
    expect(ablatable.filter((component) => component.ablated !== component.default).length).toBeGreaterThan(5);
  });
});
