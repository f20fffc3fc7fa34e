import { afterEach, describe, expect, test } from 'vitest';
import { readEvents } from '../../src/adapters/run-store.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { planSteps } from '../../src/workers/faults/campaign.ts';
import { PROCESS_FAULTS } from '../../src/workers/faults/process-faults.ts';
import { removeHome } from '../support/cli.ts';
import { chaosConfig, chaosHome, disturb, RUN, IS_WHOLE } from '../support/chaos-run.ts';

const SEED = Number(process.env['SEED'] ?? 1);
/** Nodes of each stage, at most. */
const LIMITS = [10, 8, 6, 2];
const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

type NodeEvent = Extract<JournalEvent, { kind: 'node' }>;

function nodesByStage(events: readonly JournalEvent[]): NodeEvent[][] {
  const nodes = events.filter((event): event is NodeEvent => event.kind === 'node');
  return [...Map.groupBy(nodes, ({ stage }) => stage).values()];
}

describe.runIf(IS_WHOLE)('an asynchronous run', { timeout: 900_000 }, () => {
  test(`that is killed 10 times at seeded moments (SEED=${SEED}) keeps its budget and the invariants of its journal`, async () => {
    const home = chaosHome(350, chaosConfig(LIMITS, ['schedule: async']));
    homes.push(home);
    const faults = PROCESS_FAULTS.filter(({ changesResults }) => !changesResults);
    const steps = planSteps({ seed: SEED, kills: 12, faults, maxDelayMs: 1000, holdMs: 1500 });
    const outcome = await disturb(home, steps, 3000);
    expect(outcome.code, outcome.said).toBe(0);
    expect(outcome.strikes.filter(({ hits }) => hits.length > 0).length).toBeGreaterThanOrEqual(10);
    expect(outcome.audit).toMatchObject({ lost: [], doubled: [], overlaps: [], open: [] });

    const events = await readEvents({ root: home }, RUN);
    const ends = events.filter((event) => event.kind === 'stage_finished');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const made = nodesByStage(events).map((nodes) => nodes.length);
    ends.forEach(({ reason }, stage) => {
      if (reason === 'node_limit') expect(made[stage], `nodes of stage ${stage + 1}`).toBe(LIMITS[stage]);
      else expect(made[stage], `nodes of stage ${stage + 1}`).toBeLessThan(LIMITS[stage] ?? 0);
    });
    expect(ends[0]?.reason).toBe('node_limit');
    expectParentsBeforeChildren(events);
  });
});

/** J2, J3: every node once, after the one that it was made from. */
function expectParentsBeforeChildren(events: readonly JournalEvent[]): void {
  const seen = new Set<string>();
  for (const event of events) {
    if (event.kind !== 'node') continue;
    const { id, parent } = event.node;
    expect(seen.has(id), `${id} twice`).toBe(false);
    if (parent !== null) expect(seen.has(parent), `${parent}, the parent of ${id}, comes later`).toBe(true);
    seen.add(id);
  }
}
