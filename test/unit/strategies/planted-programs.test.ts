import { describe, expect, test } from 'vitest';
import { findTask } from '../../../src/adapters/task-file.ts';
import { ResultLine } from '../../../src/domain/evaluation.ts';
import type { ParameterValue } from '../../../src/domain/experiment.ts';
import { randomStream } from '../../../src/domain/random.ts';
import { valuesOf } from '../../../src/proposers/search-space/space.ts';
import { countingParameters, runProgram, taskFolder } from '../../support/experiment-programs.ts';
import { PLANTED, plantedTask, type Planted, type Point } from '../../support/planted.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The planted tasks: their programs as real processes against formulas that are written down apart from them. */

/** What the program reports of a point. */
async function reported({ task }: Planted, changes: Point): Promise<number> {
  const parameters = countingParameters(task, { ...changes });
  const [dataset = ''] = task.datasets;
  const end = await runProgram({ folder: taskFolder(task.name), program: task.entry, dataset, parameters });
  const lines = end.lines.map((line) => ResultLine.parse(JSON.parse(line)));
  expect({ code: end.code, lines }, end.output).toEqual({
    code: 0,
    lines: [{ metric: task.metric.name, dataset, value: expect.any(Number) }],
  });
  return lines[0]?.value ?? NaN;
}

/** Points drawn evenly from the values that a search can try. */
function drawn({ task }: Planted, count: number): Point[] {
  const luck = randomStream(7, task.name);
  const keys = Object.keys(task.components);
  const value = (key: string): ParameterValue => luck.pick(valuesOf(task, key)) ?? 0;
  return Array.from({ length: count }, () => Object.fromEntries(keys.map((key) => [key, value(key)])));
}

/** Every point that differs from this one in one key. */
function neighbours({ task }: Planted, point: Point): Point[] {
  return Object.keys(task.components).flatMap((key) => valuesOf(task, key).map((value) => ({ ...point, [key]: value })));
}

describe.each(PLANTED)('the task %s', async (name) => {
  const planted = await plantedTask(name);
  const { task, worth, best, optimum } = planted;
  const sign = task.metric.direction === 'maximize' ? 1 : -1;

  test('has a program that reports what its formula says, at its default, at its best and elsewhere', async () => {
    const points: Point[] = [{}, best, ...drawn(planted, 6)];
    const values = await Promise.all(points.map((point) => reported(planted, point)));
    const formula = points.map((point) => worth(countingParameters(task, { ...point })));
    values.forEach((value, at) => expect(value, JSON.stringify(points[at])).toBeCloseTo(formula[at] ?? NaN, 12));
    expect(new Set(values).size).toBeGreaterThan(name === 'k_module' ? 2 : 4);
  });

  test('has its best where it is planted, and begins elsewhere', () => {
    expect(worth(best)).toBeCloseTo(optimum, 9);
    const others = [...drawn(planted, 3000), ...neighbours(planted, best)].map((point) => sign * worth(point));
    expect(Math.max(...others)).toBeLessThanOrEqual(sign * optimum + 1e-9);
    expect(sign * worth(countingParameters(task))).toBeLessThan(sign * optimum);
  });
});

test('they are listed beside the other tasks', async () => {
  const wrong = findTask({ root: temporaryFolder() }, { task: 'none-of-them', tasks_dir: null });
  await expect(wrong).rejects.toThrow(/there are clusters, coupled, digits, k_module, minimum, probe, separable\)/);
});

test('two changes of coupled that gain alone lose together, whatever they are', async () => {
  const { task, worth } = await plantedTask('coupled');
  const base = countingParameters(task);
  const changes = Object.keys(base).flatMap((key) => [1, 2, 3, 4].map((value) => ({ [key]: value })));
  const gains = changes.filter((change) => worth({ ...base, ...change }) > worth(base));
  const pairs = gains.flatMap((one, at) => gains.slice(at + 1).map((other) => [one, other] as const));
  const apart = pairs.filter(([one, other]) => Object.keys(one)[0] !== Object.keys(other)[0]);
  expect(apart.length).toBeGreaterThan(200);
  for (const [one, other] of apart) {
    const alone = [one, other].map((change) => worth({ ...base, ...change }));
    expect(worth({ ...base, ...one, ...other })).toBeLessThan(Math.min(...alone));
  }
});

test('the minimum is flat at its lowest point', async () => {
  const { worth, best } = await plantedTask('minimum');
  const slope = (key: 'x' | 'y'): number => {
    const at = Number(best[key]);
    return (worth({ ...best, [key]: at + 1e-5 }) - worth({ ...best, [key]: at - 1e-5 })) / 2e-5;
  };
  expect([slope('x'), slope('y')].map(Math.abs).every((size) => size < 1e-6)).toBe(true);
});

test('families of clusters are hopeless, solved, or live, and the live ones begin as the worst', async () => {
  const { task, worth } = await plantedTask('clusters');
  const starts = ['granite', 'basalt', 'amber', 'clay', 'loam'].map((family) => {
    const start: Point = countingParameters(task, { family });
    const ways = Object.keys(start).filter((key) => key !== 'family');
    const gains = ways.filter((key) => worth({ ...start, [key]: 1 }) > worth(start)).length;
    const losses = ways.filter((key) => worth({ ...start, [key]: 1 }) < worth(start)).length;
    return [family, worth(start), gains, losses];
  });
  expect(starts).toEqual([
    ['granite', 80, 0, 0],
    ['basalt', 85, 0, 0],
    ['amber', 120, 0, 8],
    ['clay', 24, 8, 0],
    ['loam', 36, 8, 0],
  ]);
});
