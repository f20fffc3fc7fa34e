import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readEvents } from '../../src/adapters/run-store.ts';
import { STAGE_NAMES } from '../../src/domain/ids.ts';
import { IS_WHOLE } from '../support/chaos-run.ts';
import { newSlowHome, removeHome, runCommand, startCommand, temporal } from '../support/cli.ts';
import { audit, BRIEF_CONFIG, untilEvents } from '../support/disturbed-run.ts';
import { until } from '../support/gate.ts';

/** A run whose folder lies on a small disk of its own, which is filled and freed while it goes on. */

const RUN = 'on-a-full-disk';
const home = newSlowHome(100);
const runs = join(home, 'runs');
mkdirSync(runs);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', runs]).status === 0;

afterAll(async () => {
  if (isMounted) execFileSync('umount', ['-l', runs]);
  await removeHome(home);
});

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [2 ** 20, 2 ** 12]) while (fits(file, size));
  } finally {
    closeSync(file);
  }
}

function fits(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) > 0;
  } catch {
    return false;
  }
}

/** Whether the run says that it waits for space: of an evaluation or proposal in its status, of the journal in its activities. */
async function waitsForSpace(): Promise<boolean> {
  // The stage that waits may be one that could not write its first event.
  const said = await Promise.all(
    STAGE_NAMES.flatMap((stage) => {
      const at = ['--workflow-id', `${RUN}/${stage}`];
      return [
        temporal(home, 'workflow', 'describe', ...at, '-o', 'json'),
        temporal(home, 'workflow', 'query', ...at, '--type', 'status'),
      ];
    }),
  );
  return said.some(({ out }) => /DiskFull|waiting for space on the disk/.test(out));
}

test.runIf(isMounted && IS_WHOLE)(
  'a run on a full disk waits with the reason, and goes on when there is space: nothing is lost, doubled or blamed on a program',
  async () => {
    writeFileSync(join(home, 'config.yaml'), BRIEF_CONFIG);
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', RUN);
    const ballast = join(runs, 'ballast');
    for (const events of [2, 6]) {
      await untilEvents(home, RUN, events);
      fill(ballast);
      await until(waitsForSpace);
      expect(run.child.exitCode).toBeNull();
      rmSync(ballast);
    }
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    const events = await readEvents({ root: home }, RUN);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const reasons = events.flatMap((event) =>
      event.kind === 'node' && event.node.status === 'buggy' ? [event.node.reason] : [],
    );
    expect(reasons.filter((reason) => reason !== 'exception')).toEqual([]);
    expect(await audit(home)).toMatchObject({ doubled: [], overlaps: [], open: [] });
    expect((await runCommand(home, 'report', RUN)).code).toBe(0);
  },
  300_000,
);

test.runIf(!isMounted && IS_WHOLE)('a small disk cannot be mounted here, so a full one is not tried', ({ skip }) => {
  skip('mounting a file system needs root');
});
