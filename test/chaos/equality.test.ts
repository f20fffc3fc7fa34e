import { afterEach, describe, expect, test } from 'vitest';
import { planSteps } from '../../src/workers/faults/campaign.ts';
import { PROCESS_FAULTS } from '../../src/workers/faults/process-faults.ts';
import { removeHome, runCommand } from '../support/cli.ts';
import { chaosConfig, chaosHome, disturb, RUN } from '../support/chaos-run.ts';
import { comparableJournal } from '../support/disturbed-run.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

describe('a deterministic run at a barrier', { timeout: 600_000 }, () => {
  test(`that is killed 20 times at seeded moments (SEED=${SEED}) has the journal of one that was left alone`, async () => {
    const config = chaosConfig([16, 16, 12, 4], ['deterministic: true']);
    const [calm, disturbed] = [chaosHome(350, config), chaosHome(350, config)];
    homes.push(calm, disturbed);
    const faults = PROCESS_FAULTS.filter(({ changesResults }) => !changesResults);
    const outcome = await disturb(disturbed, planSteps({ seed: SEED, kills: 24, faults, maxDelayMs: 500, holdMs: 1500 }), 3000);
    expect(outcome.code, outcome.said).toBe(0);
    expect(outcome.strikes.filter(({ hits }) => hits.length > 0).length).toBeGreaterThanOrEqual(20);
    expect(outcome.audit).toMatchObject({ lost: [], doubled: [], overlaps: [], open: [] });
    expect(await runCommand(calm, 'run', 'config.yaml', '--run-id', RUN)).toMatchObject({ code: 0 });
    expect(await comparableJournal(disturbed, RUN)).toEqual(await comparableJournal(calm, RUN));
  });
});
