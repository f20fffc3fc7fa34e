import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../src/workers/faults/campaign.ts';
import { PHASES, type Fault, type Phase } from '../../src/workers/faults/fault.ts';
import { PROCESS_FAULTS } from '../../src/workers/faults/process-faults.ts';
import { removeHome } from '../support/cli.ts';
import {
  chaosConfig,
  chaosHome,
  disturb,
  IS_WHOLE,
  isReported,
  startBystander,
  tokensRefused,
  withTokens,
} from '../support/chaos-run.ts';
import type { ChaosOutcome } from '../support/chaos-run.ts';
import { matrixTable } from '../support/chaos-table.ts';

/**
 * Faults x phases. `npm run test:chaos` does every fault in every phase, a run for each fault; otherwise one
 * run meets every phase, and most of the faults, once.
 */
/** In the order in which a run comes to them. */
const IN_ORDER: readonly Phase[] = PHASES;
/** Which fault stands for each phase in the short form. */
const SHORT_FORM: readonly (readonly [Phase, string])[] = [
  ['before_first_node', 'everything'],
  ['proposing', 'proposals_worker'],
  ['queued', 'stopped_device_worker'],
  ['running', 'device'],
  ['running', 'grandchild'],
  ['running', 'stopped_program'],
  ['reporting', 'control_worker'],
  ['between_rounds', 'server'],
  ['running', 'program'],
  ['continue_as_new', 'all_workers'],
  ['stage_change', 'supervisor'],
  ['running', 'device_worker'],
  ['running', 'gone_device'],
  ['report', 'services'],
];
/** A stage of each kind, long enough to continue as new. */
const CONFIG = chaosConfig([8, 4, 4, 2]);
const PHASE_MS = 60_000;
const HOLD_MS = 1500;

const outcomes: ChaosOutcome[] = [];
const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

afterAll(() => {
  process.stdout.write(`\n${matrixTable(outcomes)}\n`);
});

/** Every outcome of a run to which these are done is held to the same bars. */
async function survives(steps: readonly Step[]): Promise<void> {
  const home = chaosHome(300, CONFIG);
  homes.push(home);
  withTokens(home);
  const bystander = await startBystander(home);
  try {
    const outcome = await disturb(home, steps, PHASE_MS);
    outcomes.push(outcome);
    expect(outcome.code, outcome.said).toBe(0);
    expect(outcome.audit).toMatchObject({ lost: [], doubled: [], overlaps: [] });
    // A worker that never comes back cannot write that its one attempt is dead.
    const isForGood = steps.some(({ holdMs }) => holdMs === null);
    expect(outcome.audit.open.length).toBeLessThanOrEqual(isForGood ? 1 : 0);
    expect(outcome.strikes.filter(({ hits }) => hits.length > 0).length).toBeGreaterThan(0);
    expect(isReported(home)).toBe(true);
    expect(tokensRefused(home)).toEqual([]);
    expect(bystander.isAlive()).toBe(true);
  } finally {
    await bystander.end();
  }
}

function step(fault: Fault, phase: Phase): Step {
  return { fault, phase, delayMs: 0, holdMs: HOLD_MS, afterRecovery: true };
}

function named(name: string): Fault {
  const fault = PROCESS_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}

describe('a run', { timeout: 900_000 }, () => {
  if (IS_WHOLE)
    test.each(PROCESS_FAULTS.map((fault) => [fault.name, fault] as const))('survives %s in every phase', async (_, fault) => {
      const phases = fault.phases.length === 1 ? [...fault.phases, ...fault.phases, ...fault.phases] : IN_ORDER;
      await survives(phases.map((phase) => step(fault, phase)));
    });
  if (IS_WHOLE)
    test.each(['gone_device', 'stopped_device_worker'])('goes on without a device when there is no end to %s', (name) =>
      survives([{ ...step(named(name), 'running'), holdMs: null }]),
    );
  if (!IS_WHOLE)
    test('survives a fault in every phase', () => survives(SHORT_FORM.map(([phase, name]) => step(named(name), phase))));
});
