import { cp } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { makePropose } from '../../src/activities/propose.ts';
import { getExperiment, putExperiment } from '../../src/adapters/artifact-store.ts';
import { runPaths, type Home } from '../../src/adapters/layout.ts';
import { pythonPath } from '../../src/adapters/project.ts';
import { saveRun, writeEvent } from '../../src/adapters/run-store.ts';
import { ResolvedConfig } from '../../src/domain/config.ts';
import type { Experiment, ParameterValue } from '../../src/domain/experiment.ts';
import type { Ref } from '../../src/domain/ids.ts';
import { JournalEvent } from '../../src/domain/journal.ts';
import { ProposeInput, ProposeResult } from '../../src/domain/proposal.ts';
import { ResolvedRun } from '../../src/domain/resolved-run.ts';
import { defaultParameters, type Task } from '../../src/domain/task.ts';
import { copyProbe } from './experiment-programs.ts';
import { testPlan } from './plan.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A run of the probe on disk whose nodes are proposed by the real activity. */

const RUN = 'test-run';

/** A run, and how to work with it. */
export interface ProposingRun {
  readonly home: Home;
  readonly task: Task;
  /** Asks the activity, as a worker of its own each time. */
  readonly propose: (input: Record<string, unknown>) => Promise<ProposeResult>;
  readonly experiment: (ref: Ref) => Promise<Experiment>;
  /** Journals a node with these parameters: good with a metric, or buggy with a reason. */
  readonly journal: (seq: number, node: Record<string, unknown>, values?: Record<string, ParameterValue>) => Promise<Ref>;
  /** Journals that an item was dropped. */
  readonly drop: (seq: number, item: string) => Promise<void>;
}

/** Makes the run; `proposer` is the config's section. */
export async function proposingRun(
  proposer: Record<string, unknown> = {},
  frozen: readonly string[] = [],
): Promise<ProposingRun> {
  const home = { root: temporaryFolder() };
  const task = await copyProbe(home.root, { frozen });
  await saveRun(home, resolvedRun(task, proposer));
  await cp(`${home.root}/probe`, runPaths(home, RUN).task, { recursive: true });
  return {
    home,
    task,
    propose: async (input) => {
      const asked = ProposeInput.parse({ ...question, ...input });
      return ProposeResult.parse(await new MockActivityEnvironment().run(makePropose({ home }), asked));
    },
    experiment: (ref) => getExperiment(home, RUN, ref),
    journal: async (seq, node, values = {}) => {
      const experiment = await putExperiment(home, RUN, {
        v: 1,
        parameters: { ...defaultParameters(task), ...values },
        files: {},
      });
      await writeEvent(
        home,
        RUN,
        JournalEvent.parse({
          kind: 'node',
          seq,
          stage: STAGE,
          plan: 'p',
          evaluations: [],
          node: { ...usual, experiment, ...node },
        }),
      );
      return experiment;
    },
    drop: (seq, item) =>
      writeEvent(home, RUN, JournalEvent.parse({ kind: 'dropped', seq, stage: STAGE, item, reason: 'duplicate', message: 'm' })),
  };
}

const STAGE = 'initial_implementation';
const question = { runId: RUN, stage: STAGE, node: 'n9', parentExperiment: null, before: 1000, allowedKeys: null };
const usual = {
  id: 'n1',
  stage: STAGE,
  operator: 'draft',
  parent: null,
  item: 'draft#0',
  label: 'quadratic',
  changed: [],
  debugDepth: 0,
};

function resolvedRun(task: Task, proposer: Record<string, unknown>): ResolvedRun {
  return ResolvedRun.parse({
    v: 1,
    plan: testPlan(),
    config: ResolvedConfig.parse({ task: 'probe', proposer }),
    task,
    goal: task.goal,
    warnings: [],
    ignoredKeys: [],
    environment: { python: pythonPath(), pythonVersion: '3.11', packages: 'none', dataDir: null, threads: 1 },
  });
}
