import { describe, expect, test } from 'vitest';
import { LedgerLine } from '../../../../src/domain/ledger.ts';
import {
  carryOut,
  planSteps,
  recoveries,
  type Campaign,
  type Step,
  type Strike,
} from '../../../../src/workers/faults/campaign.ts';
import { PHASES, type Fault } from '../../../../src/workers/faults/fault.ts';
import type { OpenWorkflow, Sight } from '../../../../src/workers/faults/sight.ts';

const workflow: OpenWorkflow = { pending: [], events: 20, isContinued: false };
const sight: Sight = { events: 5, lastEvent: 'node', attempts: 0, run: workflow, stage: workflow, isOver: false };

function fault(name: string, log: string[] = [], change: Partial<Fault> = {}): Fault {
  return {
    name,
    about: name,
    phases: PHASES,
    changesResults: false,
    strike: () => {
      log.push(name);
      return Promise.resolve({ hits: [name], release: null });
    },
    ...change,
  };
}

function step(change: Partial<Step> = {}): Step {
  return { fault: fault('one'), phase: null, delayMs: 0, holdMs: 0, afterRecovery: false, ...change };
}

/** A campaign against a run that shows these sights, one after the other, the last one for ever. */
function campaign(steps: readonly Step[], sights: readonly Sight[] = [sight], change: Partial<Campaign> = {}): Campaign {
  let looks = 0;
  const look = () => Promise.resolve(sights[Math.min(looks++, sights.length - 1)] ?? sight);
  return {
    target: { home: { root: '/nowhere' }, runId: 'r' },
    watch: { look, close: () => Promise.resolve() },
    steps,
    maxHistoryEvents: 1000,
    phaseMs: 500,
    tell: () => undefined,
    keep: () => undefined,
    ...change,
  };
}

describe('planSteps', () => {
  const faults = ['a', 'b', 'c'].map((name) => fault(name));
  const plan = (seed: number) => planSteps({ seed, kills: 20, faults, maxDelayMs: 1000, holdMs: 5 });

  test('is the same for a seed, and another one for another', () => {
    expect(JSON.stringify(plan(1))).toBe(JSON.stringify(plan(1)));
    expect(JSON.stringify(plan(1))).not.toBe(JSON.stringify(plan(2)));
  });

  test('does every kind as often as the others', () => {
    const counts = Object.values(Object.groupBy(plan(3), (one) => one.fault.name)).map((group) => group?.length ?? 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test('waits for no phase that a run has only once', () => {
    const phases = [1, 2, 3, 4].flatMap(plan).map(({ phase }) => phase);
    expect(phases).not.toContain('report');
    expect(phases).not.toContain('before_first_node');
    expect(new Set(phases).size).toBeGreaterThan(3);
  });
});

describe('carryOut', () => {
  test('waits for the phase of a step and says which ones held', async () => {
    const log: string[] = [];
    const waited = { ...sight, attempts: 1 };
    const strikes = await carryOut(campaign([step({ fault: fault('one', log), phase: 'running' })], [sight, sight, waited]));
    expect(strikes).toMatchObject([{ fault: 'one', wanted: 'running', hits: ['one'] }]);
    expect(strikes[0]?.seen).toContain('running');
  });

  test('does a step as things are when its phase does not come, and says so', async () => {
    const [strike] = await carryOut(campaign([step({ phase: 'report' })]));
    expect(strike).toMatchObject({ wanted: 'report', hits: ['one'], seen: ['between_rounds'] });
  });

  test('ends with the run', async () => {
    const log: string[] = [];
    const steps = ['a', 'b', 'c'].map((name) => step({ fault: fault(name, log) }));
    await carryOut(campaign(steps, [sight, { ...sight, isOver: true }]));
    expect(log).toEqual(['a']);
  });

  test('looks again for something to hit, and tells that it found nothing when the run is over', async () => {
    let tries = 0;
    const strike = () => Promise.resolve(++tries < 3 ? null : { hits: ['late'], release: null });
    expect(await carryOut(campaign([step({ fault: fault('one', [], { strike }) })]))).toMatchObject([{ hits: ['late'] }]);
    const nothing = fault('none', [], { strike: () => Promise.resolve(null) });
    const over = { ...sight, isOver: true };
    expect(await carryOut(campaign([step({ fault: nothing })], [sight, over]))).toMatchObject([{ hits: [] }]);
  });

  test('takes a fault that lasts back, or hands that on when it is to last to the end', async () => {
    const log: string[] = [];
    const release = () => Promise.resolve(void log.push('released'));
    const lasting = fault('lasting', log, { strike: () => Promise.resolve({ hits: ['it'], release }) });
    await carryOut(campaign([step({ fault: lasting })]));
    expect(log).toEqual(['released']);
    const kept: (() => Promise<void>)[] = [];
    await carryOut(campaign([step({ fault: lasting, holdMs: null })], [sight], { keep: (one) => void kept.push(one) }));
    expect(log).toEqual(['released']);
    expect(kept).toEqual([release]);
  });
});

describe('recoveries', () => {
  const started = (at: number) =>
    LedgerLine.parse({ v: 1, event: 'started', device: 'cpu0', run: 'r', evaluation: '0'.repeat(32), attempt: '1.1', at });
  const at = (time: number): Strike => ({ fault: 'f', wanted: null, seen: [], events: 1, at: time, hits: ['x'] });

  test('are the times to the next start, none when nothing was started any more', () => {
    expect(recoveries([at(100), at(250), at(900)], [started(90), started(130), started(300)])).toEqual([30, 50, null]);
  });
});
