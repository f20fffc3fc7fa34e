import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { newSlowHome, removeHome, startCommand } from '../support/cli.ts';
import {
  audit,
  comparableJournal,
  DISTURBED_CONFIG,
  killBusyDevice,
  recoveryTimes,
  SHORT_CONFIG,
} from '../support/disturbed-run.ts';

/** The default of exec.heartbeat_timeout. */
const HEARTBEAT_TIMEOUT_MS = 60_000;
/** Longer than a worker takes to come back. */
const LONG_MS = 15_000;
const homes: string[] = [];

function newHome(ms: number, config = DISTURBED_CONFIG): string {
  const home = newSlowHome(ms);
  writeFileSync(join(home, 'config.yaml'), config);
  homes.push(home);
  return home;
}

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

/** How many programs runs had to start: evaluations with a value, each once. */
async function programsRun(home: string, runIds: readonly string[]): Promise<number> {
  const journals = await Promise.all(runIds.map((runId) => comparableJournal(home, runId)));
  return journals.reduce((sum, events) => sum + measuredEvaluations(events).size, 0);
}

function measuredEvaluations(events: readonly JournalEvent[]): Set<string | null> {
  const measured = events.flatMap((event) => (event.kind !== 'plot' && 'evaluations' in event ? event.evaluations : []));
  return new Set(measured.map(({ result }) => result.evaluation));
}

describe('a run', { timeout: 300_000 }, () => {
  test('adopts a training that outlived its worker: it goes on and is not run again', async () => {
    const home = newHome(LONG_MS, SHORT_CONFIG);
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'disturbed');
    await killBusyDevice(home, 'cpu0');
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    // Two drafts, and the figures of the better one.
    expect(await audit(home)).toMatchObject({ started: 3, finished: 3, doubled: [], overlaps: [], open: [] });
  });

  test('tries a training that died with its worker again at once, not after the heartbeat time-out', async () => {
    const home = newHome(LONG_MS, SHORT_CONFIG);
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'disturbed');
    await killBusyDevice(home, 'cpu0', true);
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    const [recoveryMs, ...others] = await recoveryTimes(home);
    expect(others).toEqual([]);
    expect(recoveryMs).toBeLessThan(HEARTBEAT_TIMEOUT_MS);
    expect(await audit(home)).toMatchObject({ started: 4, finished: 3, doubled: [], overlaps: [], open: [] });
  });

  test('shares its devices with another run: both end, and no device ever runs two evaluations at once', async () => {
    const home = newHome(100);
    const data = join(home, 'data');
    mkdirSync(join(data, 'tokens'), { recursive: true });
    appendFileSync(join(home, 'config.yaml'), 'data_dir: data\n');
    writeFileSync(join(data, 'ledger.txt'), '');
    const runs = ['one', 'two'].map((runId) => startCommand(home, 'run', 'config.yaml', '--run-id', runId));
    expect(await Promise.all(runs.map((run) => run.ended)), runs.map((run) => run.err()).join('\n')).toEqual([0, 0]);
    const { doubled, overlaps, open } = await audit(home);
    expect({ doubled, overlaps, open }).toEqual({ doubled: [], overlaps: [], open: [] });
    for (const runId of ['one', 'two'])
      expect(JSON.stringify(await comparableJournal(home, runId))).not.toContain('"exitCode":97');
    const starts = readFileSync(join(data, 'ledger.txt'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('start'));
    expect(starts).toHaveLength(await programsRun(home, ['one', 'two']));
  });
});
