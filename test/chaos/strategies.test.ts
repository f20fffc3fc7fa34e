import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readEvents } from '../../src/adapters/run-store.ts';
import { STRATEGIES } from '../../src/strategies/registry.ts';
import { chaosConfig, IS_WHOLE } from '../support/chaos-run.ts';
import { newSlowHome, removeHome, runCommand, startCommand } from '../support/cli.ts';
import { audit, comparableJournal, killRole } from '../support/disturbed-run.ts';

/** Each strategy keeps its state through the death of the process that plans, in every round. */

const WORKERS = 2;
/** The one that remembers most, unless the whole is asked for. */
const NAMES = STRATEGIES.map(({ name }) => name).filter((name) => IS_WHOLE || name === 'tensor_parallel');
/** Nodes of the stages; each kill costs some ten seconds. */
const NODES = IS_WHOLE ? [3, 8, 6, 0] : [2, 2, 0, 0];
const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

function newHome(strategy: string): string {
  const home = newSlowHome(150);
  homes.push(home);
  writeFileSync(join(home, 'config.yaml'), chaosConfig(NODES, ['deterministic: true', `strategy: {name: ${strategy}}`]));
  return home;
}

/** Kills the control worker each time when about a round of results has come in since; how often. */
async function killEachRound(home: string, runId: string, isOver: () => boolean): Promise<number> {
  let [kills, seen] = [0, 0];
  while (!isOver()) {
    const count = (await readEvents({ root: home }, runId)).length;
    if (count >= seen + WORKERS && (await killRole(home, /control/))) {
      kills += 1;
      seen = count;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return kills;
}

describe.each(NAMES)('a run with the strategy %s', { timeout: 600_000 }, (name) => {
  test('has the journal of an undisturbed one, though its control worker is killed in every round', async () => {
    const [calm, disturbed] = [newHome(name), newHome(name)];
    const run = startCommand(disturbed, 'run', 'config.yaml', '--run-id', 'rounds');
    const kills = await killEachRound(disturbed, 'rounds', () => run.child.exitCode !== null);
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    const events = await readEvents({ root: disturbed }, 'rounds');
    expect(kills).toBeGreaterThanOrEqual(Math.floor(events.length / WORKERS / 2));
    expect(await audit(disturbed)).toMatchObject({ doubled: [], overlaps: [], open: [] });
    expect(await runCommand(calm, 'run', 'config.yaml', '--run-id', 'rounds')).toMatchObject({ code: 0 });
    expect(await comparableJournal(disturbed, 'rounds')).toEqual(await comparableJournal(calm, 'rounds'));
  });
});
