import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../src/adapters/task-file.ts';
import { ResultLine } from '../../../src/domain/evaluation.ts';
import type { ParameterValue } from '../../../src/domain/experiment.ts';
import { valuesOf } from '../../../src/proposers/search-space/space.ts';
import { says, until } from '../../support/evaluations.ts';
import { countingParameters, runProgram, startProgram, taskFolder, type ProgramWish } from '../../support/experiment-programs.ts';
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

  test('a network that was killed goes on from its last epoch, in whichever fold, to the very same values', async () => {
    const network = { 'model.family': 'mlp', 'features.scaler': 'standard', 'mlp.epochs': 25 };
    const whole = parsed((await runProgram(wish(network))).lines);
    const place = temporaryFolder();
    for (const step of [5, 35]) {
      const program = await startProgram(wish(network, { place }));
      await until(() => says(join(place, 'results.jsonl'), `"step": ${step}`));
      program.kill('SIGKILL');
      await program.ended;
    }
    const last = await runProgram(wish(network, { place }));
    expect(last.output).toMatch(/goes on at step \d+: [12] folds and \d+ epochs are done/);
    // All attempts wrote into one file. No step is done twice; one may have been saved, and its report cut off.
    const all = parsed(last.lines);
    const steps = all.map(({ step }) => step);
    expect(new Set(steps).size).toBe(steps.length);
    expect(all.length).toBeGreaterThanOrEqual(whole.length - 2);
    expect(all).toEqual(whole.filter(({ step }) => steps.includes(step)));
  }, 120_000);

  test('each epoch of a network has another order of the rows', async () => {
    const epochs = { 'model.family': 'mlp', 'features.scaler': 'standard', 'mlp.rate': 0.01, 'mlp.epochs': 3 };
    const code = [
      'import json, os, pipeline',
      'parameters = json.load(open(os.environ["SCIENTIST_PARAMS"]))',
      'columns, labels = pipeline.load("wine")',
      'states = []',
      'model = pipeline.build(parameters, columns.shape[1], 1)',
      'pipeline.fit(model, columns, labels, lambda fitted: states.append(str(fitted[-1].random_state.get_state()[2])))',
      'print(json.dumps([len(states), len(set(states))]))',
    ].join('\n');
    const place = temporaryFolder();
    cpSync(folder, place, { recursive: true });
    writeFileSync(join(place, 'look.py'), code);
    const { output } = await runProgram(wish(epochs, { folder: place, program: 'look.py' }));
    expect(JSON.parse(output)).toEqual([3, 3]);
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
