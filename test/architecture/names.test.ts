import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../../src/domain/activities.ts';
import { STAGE_NAMES } from '../../src/domain/ids.ts';
import { MESSAGES, SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/domain/messages.ts';
import * as workflows from '../../src/workflows/index.ts';

/**
 * Names that others rely on: running workflows, scripts with the `temporal` CLI, experiment programs, saved
 * queries. Changing one breaks them; adding one is done here too, on purpose.
 */

/** Names of variables in the environment, as they stand in the code that reads or sets them. */
function variables(folders: readonly string[]): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:ts|mjs|py)$/.test(path))
      .map((path) => join(PACKAGE_ROOT, folder, path)),
  );
  const names = files.flatMap((path) => readFileSync(path, 'utf8').match(/\bSCIENTIST_[A-Z_]+\b/g) ?? []);
  return [...new Set(names)].sort();
}

describe('names on the wire', () => {
  test('workflow types are frozen, and exactly they are exported', () => {
    expect(WORKFLOW_TYPES).toEqual({
      research: 'research',
      initial_implementation: 'initialImplementation',
      baseline_tuning: 'baselineTuning',
      creative_research: 'creativeResearch',
      ablation_studies: 'ablationStudies',
    });
    const exported = Object.keys(workflows).filter((name) => name !== 'default');
    expect(exported.sort()).toEqual(Object.values(WORKFLOW_TYPES).sort());
  });

  test('stages are frozen, in their order', () => {
    expect(STAGE_NAMES).toEqual(['initial_implementation', 'baseline_tuning', 'creative_research', 'ablation_studies']);
  });

  test('messages are frozen', () => {
    const steering = ['pause', 'unpause', 'stop', 'skipStage', 'retryStage', 'setWorkers', 'setBudget'];
    const ofStages = ['cancelNode', 'pinNode', 'pruneNode', 'addItem', 'setStrategy'];
    const questions = ['status', 'journal', 'best', 'outcomes', 'plan'];
    expect(Object.values(MESSAGES).sort()).toEqual([...steering, ...ofStages, ...questions, 'stageProgress'].sort());
    expect(Object.entries(MESSAGES).filter(([key, name]) => key !== name)).toEqual([]);
  });

  test('search attributes and their types are frozen', () => {
    expect(SEARCH_ATTRIBUTES).toEqual({
      ResearchTask: 'Keyword',
      ResearchStage: 'Keyword',
      ResearchStatus: 'Keyword',
      ResearchBest: 'Double',
      ResearchCostUsd: 'Double',
      ResearchNodes: 'Int',
      ResearchBuggy: 'Int',
    });
  });

  test('activities are frozen', () => {
    // Complete by its type, so that the type check refuses a name that is missing here.
    const names: Record<keyof (ControlActivities & DeviceActivities & ProposalActivities), true> = {
      resolveRun: true,
      recordEvent: true,
      journalEnd: true,
      activeComponents: true,
      writeReport: true,
      watchDevices: true,
      propose: true,
      evaluate: true,
    };
    expect(Object.keys(names)).toHaveLength(8);
  });
});

describe('names in the environment', () => {
  const contract = ['ATTEMPT', 'CHECKPOINT', 'DATASET', 'DATA_DIR', 'DEVICE', 'OUT', 'PARAMS', 'RESULTS', 'SEED', 'TIME_LIMIT_S'];
  const settings = ['DEBUG', 'HOME', 'PYTHON', 'QUEUE_PREFIX', 'TEMPORAL'];

  test('the variables of an experiment and of the command are frozen', () => {
    const expected = [...contract, ...settings].map((name) => `SCIENTIST_${name}`).sort();
    expect(variables(['src', 'python', 'bin', 'scripts'])).toEqual(expected);
  });
});
