import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { killServices, newSlowHome, removeHome, runCommand, startCommand } from '../support/cli.ts';
import { audit, BRIEF_CONFIG, untilEvents } from '../support/disturbed-run.ts';

/** Files of a run that are deleted or damaged while it is down, and while it goes on. */

const RUN = 'damaged';
const home = newSlowHome(100);
const paths = runPaths({ root: home }, RUN);
afterAll(() => removeHome(home));

test('what the journal and a result lost between a kill and a resume is restored or run again, and nothing else', async () => {
  writeFileSync(join(home, 'config.yaml'), BRIEF_CONFIG);
  const run = startCommand(home, 'run', 'config.yaml', '--run-id', RUN);
  await untilEvents(home, RUN, 5);
  run.signal('SIGKILL');
  await killServices(home);
  const before = await readEvents({ root: home }, RUN);
  const finished = before
    .flatMap((event) => (event.kind === 'node' ? event.evaluations : []))
    .flatMap(({ result }) => result.evaluation ?? []);
  const [first] = finished;
  if (first === undefined) throw new Error('nothing was evaluated');

  rmSync(paths.event(1));
  writeFileSync(paths.event(3), '{"kind": "node", "seq"');
  truncateSync(paths.result(first), 10);
  writeFileSync(join(paths.evaluation(first), 'claim.json'), 'not a claim');
  const ledger = join(home, '.scientist', 'ledgers', 'cpu0.jsonl');
  writeFileSync(ledger, readFileSync(ledger, 'utf8').slice(0, -20));

  const shown = await runCommand(home, 'journal', RUN);
  expect(shown.code).toBe(3);
  expect(shown.err).toMatch(/ArtifactMissing: .*0000001\.json is not there/);
  expect(shown.err).toMatch(/ArtifactCorrupt: .*0000003\.json cannot be read/);

  const resumed = await runCommand(home, 'resume', RUN);
  expect(resumed.code, `${resumed.out}\n${resumed.err}`).toBe(0);
  const after = await readEvents({ root: home }, RUN);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(readFileSync(`${paths.event(3)}.damaged`, 'utf8')).toContain('"seq"');
  expect(
    after.filter((event) => event.kind === 'node' && event.node.status === 'buggy' && event.node.reason === 'infrastructure'),
  ).toEqual([]);
  expect(await audit(home)).toMatchObject({ overlaps: [], open: [] });
}, 300_000);
