import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT, pythonPath } from '../src/adapters/project.ts';
import { loadTask } from '../src/adapters/task-file.ts';
import { ResultLine } from '../src/domain/evaluation.ts';
import type { ParameterValue } from '../src/domain/experiment.ts';
import { activeKeys, defaultParameters } from '../src/domain/task.ts';
import { valuesOf } from '../src/proposers/search-space/space.ts';

/**
 * `npm run bench -- digits-sweep`: every family on every dataset as a cold process, with its defaults
 * and with every size at its largest, with wall time and accuracy. Shows that all of them work and that the
 * dearest corner is bounded.
 */

const folder = join(PACKAGE_ROOT, 'experiments', 'digits');
const task = await loadTask(folder);

function run(
  dataset: string,
  parameters: Record<string, ParameterValue>,
): { value: number | null; seconds: number; failure: string } {
  const place = mkdtempSync(join(tmpdir(), 'digits-sweep-'));
  const active = Object.fromEntries(activeKeys(task, parameters).map((key) => [key, parameters[key]]));
  cpSync(folder, join(place, 'program'), { recursive: true });
  for (const name of ['out', 'checkpoint']) mkdirSync(join(place, name));
  writeFileSync(join(place, 'params.json'), JSON.stringify(active));
  const started = performance.now();
  const { status, stderr } = spawnSync(pythonPath(), [task.entry], {
    cwd: join(place, 'program'),
    encoding: 'utf8',
    env: {
      PYTHONPATH: join(PACKAGE_ROOT, 'python'),
      OMP_NUM_THREADS: '1',
      SCIENTIST_DATASET: dataset,
      SCIENTIST_SEED: '0',
      SCIENTIST_PARAMS: join(place, 'params.json'),
      SCIENTIST_RESULTS: join(place, 'results.jsonl'),
      SCIENTIST_OUT: join(place, 'out'),
      SCIENTIST_CHECKPOINT: join(place, 'checkpoint'),
      SCIENTIST_DEVICE: 'cpu0',
      SCIENTIST_TIME_LIMIT_S: '60',
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const lines = status === 0 ? readFileSync(join(place, 'results.jsonl'), 'utf8').trim().split('\n') : [];
  rmSync(place, { recursive: true });
  const last = lines.at(-1);
  const failure = stderr.trim().split('\n').at(-1) ?? '';
  return { value: last === undefined ? null : ResultLine.parse(JSON.parse(last)).value, seconds, failure };
}

/** Numbers that make a run longer as they grow. */
const SIZES = ['training.iterations', 'tree.depth', 'forest.trees', 'forest.columns', 'mlp.hidden', 'mlp.epochs'];

const largest = Object.fromEntries(SIZES.map((key) => [key, valuesOf(task, key).at(-1) ?? 0]));
for (const family of valuesOf(task, task.family ?? '')) {
  for (const dataset of task.datasets) {
    for (const [name, changes] of Object.entries({
      defaults: {},
      largest: { ...largest, 'tree.leaf': 1, 'model.regularisation': 0.0001 },
    })) {
      const { value, seconds, failure } = run(dataset, { ...defaultParameters(task), 'model.family': family, ...changes });
      const outcome = value === null ? failure : value.toFixed(4);
      process.stdout.write(
        `${String(family).padEnd(12)} ${dataset.padEnd(14)} ${name.padEnd(9)} ${seconds.toFixed(2)} s  ${outcome}\n`,
      );
    }
  }
}
