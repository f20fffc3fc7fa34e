import { cp } from 'node:fs/promises';
import { putExperiment } from '../../src/adapters/artifact-store.ts';
import { runPaths, type Home } from '../../src/adapters/layout.ts';
import { pythonPath } from '../../src/adapters/project.ts';
import { saveRun } from '../../src/adapters/run-store.ts';
import { loadTask } from '../../src/adapters/task-file.ts';
import { ResolvedConfig } from '../../src/domain/config.ts';
import { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import { RunId } from '../../src/domain/ids.ts';
import { ResolvedRun } from '../../src/domain/resolved-run.ts';
import { searchSeed } from '../../src/domain/run-plan.ts';
import { deviceNamed, type ReadyRun } from './evaluations.ts';
import { taskFolder } from './experiment-programs.ts';
import { testPlan } from './plan.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What a test wants of a run of a shipped task. */
export interface TaskRunWish {
  /** A folder of experiments/. */
  readonly task: string;
  readonly parameters?: Record<string, ParameterValue>;
  /** Changes to the config; durations in milliseconds. */
  readonly config?: Record<string, unknown>;
  readonly home?: Home;
  readonly runId?: string;
}

/** Makes a run of a shipped task on disk, and the input of one evaluation of it on its first dataset and search seed. */
export async function readyTaskRun(wish: TaskRunWish): Promise<ReadyRun> {
  const home = wish.home ?? { root: temporaryFolder() };
  const task = await loadTask(taskFolder(wish.task));
  const plan = testPlan({ runId: RunId.parse(wish.runId ?? 'test-run'), task: task.name, metric: task.metric });
  const run = ResolvedRun.parse({
    v: 1,
    plan,
    config: ResolvedConfig.parse({ task: task.name, ...wish.config }),
    task,
    goal: task.goal,
    warnings: [],
    ignoredKeys: [],
    environment: { python: pythonPath(), pythonVersion: '3.11', packages: 'none', dataDir: null, threads: 1 },
  });
  await saveRun(home, run);
  await cp(taskFolder(wish.task), runPaths(home, plan.runId).task, { recursive: true });
  const experiment = await putExperiment(home, plan.runId, { v: 1, parameters: wish.parameters ?? {}, files: {} });
  const input = EvaluateInput.parse({
    runId: plan.runId,
    stage: 'initial_implementation',
    node: 'n1',
    experiment,
    kind: 'measure',
    dataset: task.datasets[0],
    seed: searchSeed(plan),
    dispatch: 1,
  });
  return { home, run, input, device: deviceNamed('cpu0') };
}
