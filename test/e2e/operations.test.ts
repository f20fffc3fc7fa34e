import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { loadRun, readEvents } from '../../src/adapters/run-store.ts';
import { ListOutput, StatusOutput } from '../../src/cli/json-output.ts';
import { nodeNumber } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { auditLedger } from '../../src/domain/ledger.ts';
import type { Node } from '../../src/domain/node.ts';
import { say } from '../support/cli-in-process.ts';
import { newHome, newSlowHome, removeHome, runCommand, startCommand, temporal } from '../support/cli.ts';

/** Fork, rerun, clean and disk use from the outside: real processes, the real server, the task probe. */

const STAGES = (first: number, others: number): string =>
  `{stage1_max_iters: ${first}, stage2_max_iters: ${others}, stage3_max_iters: 0, stage4_max_iters: 0}`;

/** Three drafts: good, one that raises an exception, and one that was never made; then repairs and tunings. */
const SCRIPTED = `task: probe
devices: cpu:2
proposer: {kind: scripted, script: script.yaml}
search: {all_datasets_from: 5}
agent:
  num_workers: 2
  stages: ${STAGES(3, 1)}
  search: {num_drafts: 3, debug_prob: 0}
  multi_seed_eval: {num_seeds: 0}
`;
const SCRIPT = `default: search_space
entries:
  - {match: {node: n1}, parameters: {x: 0}}
  - {match: {node: n2, operator: draft}, parameters: {x: 0.9, sharp: true}}
  - {match: {node: n3, operator: draft}, malformed: no idea}
  - {match: {operator: debug}, parameters: {x: 0.2}, repeat: true}
`;

const nodesOf = (events: readonly JournalEvent[]): Node[] =>
  events.flatMap((event) => (event.kind === 'node' ? [event.node] : []));

/** Every file below a folder with its content's hash, so that a change anywhere shows. */
function contents(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    lstatSync(join(folder, path)).isFile(),
  );
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(paths.sort().map((path) => [path, hash(path)]));
}

describe('a run that is over', () => {
  const home = newHome(SCRIPTED);
  const root = { root: home };

  beforeAll(async () => {
    writeFileSync(join(home, 'script.yaml'), SCRIPT);
    const { code, out, err } = await runCommand(home, 'run', 'config.yaml', '--run-id', 'first', '--set', 'seed=7');
    expect(code, out + err).toBe(0);
    expect(nodesOf(await readEvents(root, 'first')).map(({ status }) => status)).toEqual(['good', 'buggy', 'buggy', 'good']);
  }, 240_000);
  afterAll(() => removeHome(home));

  test('says what it takes of the disk, alone and in the list', async () => {
    const { disk } = StatusOutput.parse(JSON.parse((await runCommand(home, 'status', 'first', '--json')).out));
    expect(disk).toMatchObject({ complete: true });
    expect(disk?.parts.attempts).toBeGreaterThan(0);
    expect(disk?.parts.journal).toBeGreaterThan(0);
    const [listed] = ListOutput.parse(JSON.parse((await runCommand(home, 'list', '--json')).out)).runs;
    expect(listed?.disk).toEqual(disk);
    expect((await runCommand(home, 'status', 'first')).out).toMatch(/^disk: .*attempts .*journal/m);
  }, 120_000);

  test('is forked from a good node: the new run tunes it, counts on after it and says where it came from', async () => {
    const fork = await runCommand(
      home,
      'fork',
      'first',
      '--from',
      'n1',
      '--run-id',
      'tuned',
      '--set',
      'agent.stages.stage2_max_iters=2',
    );
    expect(fork.code, fork.out + fork.err).toBe(0);
    const events = await readEvents(root, 'tuned');
    expect(events[0]).toMatchObject({ kind: 'stage_started', stage: 'baseline_tuning', carried: 'n1' });
    expect(events[1]).toMatchObject({ kind: 'base', node: { id: 'n1', status: 'good' } });
    expect(nodesOf(events).map(({ id }) => nodeNumber(id))).toEqual([2, 3]);
    const run = await loadRun(root, 'tuned');
    expect(run).toMatchObject({ forkedFrom: { run: 'first', node: 'n1', stage: 'baseline_tuning' }, config: { seed: 7 } });
    const report = readFileSync(runPaths(root, 'tuned').reportMarkdown, 'utf8');
    expect(report).toContain('Forked from n1 of run first, from baseline tuning on.');
    expect(report).toContain('It is not part of this run');
    expect(report).not.toContain('Not run: initial implementation');
    expect((await runCommand(home, 'status', 'tuned')).out).toContain('forked from n1 of run first');
  }, 240_000);

  test('is forked from a buggy node: it is evaluated again where it was made, and repaired', async () => {
    const fork = await runCommand(home, 'fork', 'first', '--from', 'n2', '--run-id', 'repaired');
    expect(fork.code, fork.out + fork.err).toBe(0);
    const events = await readEvents(root, 'repaired');
    expect(events[1]).toMatchObject({
      kind: 'base',
      stage: 'initial_implementation',
      node: { id: 'n2', status: 'buggy', reason: 'exception' },
    });
    expect(nodesOf(events)[0]).toMatchObject({ id: 'n3', operator: 'debug', parent: 'n2', status: 'good' });
    expect(readFileSync(runPaths(root, 'repaired').reportMarkdown, 'utf8')).toContain('n3');
  }, 240_000);

  test.each([
    [['fork', 'firts', '--from', 'n1'], 2, 'did you mean first'],
    [['fork', 'first', '--from', 'n99'], 2, 'it has n1, n2, n3, n4'],
    [['fork', 'first', '--from', 'n3'], 2, 'has no experiment'],
    [['fork', 'first', '--from', 'one'], 2, 'is not a node'],
    [['fork', 'first', '--from', 'n1', '--stage', 'tuning'], 2, 'baseline_tuning'],
    [['fork', 'first', '--from', 'n1', '--set', 'task=digits'], 2, 'a fork of first has its task probe'],
    [['rerun', 'none', 'n1'], 2, 'there is no run none'],
    [['rerun', 'first', 'n99'], 2, 'has no node n99'],
    [['rerun', 'first', 'n3'], 2, 'has no experiment'],
    [['rerun', 'first', 'n1', '--dataset', 'z'], 2, 'it has a, b, c'],
    [['rerun', 'first', 'n1', '--seed', '-1'], 2, 'no seed'],
    [['clean', 'none'], 2, 'there is no run none'],
    [['clean', '--yes'], 2, 'does not say what to remove'],
    [['clean', '--older-than', '30d'], 2, 'add --runs'],
  ])('%s is refused with what to do', async (argv, code, words) => {
    const said = await say(home, ...argv);
    expect(said.code).toBe(code);
    expect(said.err.join('\n')).toContain(words);
    expect(said.err).toContainEqual(expect.stringMatching(/^fix: \S/));
  });

  test('is reproduced to the last digit, in a folder of its own, and a failure by its reason', async () => {
    const before = contents(runPaths(root, 'first').evaluations);
    const good = await runCommand(home, 'rerun', 'first', 'n1');
    expect(good.code, good.out + good.err).toBe(0);
    expect(good.out).toMatch(/a seed 7 {2}recorded (\S+) {2}now \1 {2}reproduced$/m);
    expect(good.out).toContain('the same packages as then');
    const bad = await runCommand(home, 'rerun', 'first', 'n2');
    expect(bad.code, bad.out + bad.err).toBe(0);
    expect(bad.out).toContain('fails for the same reason');
    const elsewhere = await runCommand(home, 'rerun', 'first', 'n1', '--dataset', 'b');
    expect(elsewhere.out).toContain('nothing was recorded');
    expect(contents(runPaths(root, 'first').evaluations)).toEqual(before);
    expect(readdirSync(runPaths(root, 'first').reruns)).toEqual(['1', '2', '3']);
    expect(auditLedger((await readLedgers(root)).lines)).toMatchObject({ open: [], overlaps: [], doubled: [] });
  }, 120_000);

  test('that has another value in its journal than its program gives is told so, with exit code 1', async () => {
    const event = (await readEvents(root, 'first')).find((other) => other.kind === 'node' && other.node.id === 'n1');
    const path = runPaths(root, 'first').event(event?.seq ?? 0);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/"value":[-\d.]+/, '"value":0.5'));
    const said = await runCommand(home, 'rerun', 'first', 'n1');
    writeFileSync(path, text);
    expect(said.code, said.out + said.err).toBe(1);
    expect(said.out).toMatch(/recorded 0\.5 {2}now \S+ {2}differs by [+-]/);
  });

  test('with a tampered experiment is neither run nor forked', async () => {
    const [node] = nodesOf(await readEvents(root, 'first'));
    if (node?.status !== 'good') throw new Error('n1 is not good');
    const path = runPaths(root, 'first').artifact(node.experiment);
    const bytes = readFileSync(path);
    writeFileSync(path, '{"v":1,"parameters":{"x":1},"files":{}}');
    const [rerun, fork] = [
      await runCommand(home, 'rerun', 'first', 'n1'),
      await runCommand(home, 'fork', 'first', '--from', 'n1'),
    ];
    writeFileSync(path, bytes);
    for (const said of [rerun, fork]) {
      expect(said.code).toBe(3);
      expect(said.err).toContain('are not those that were stored');
    }
  });

  test('is cleaned only with --yes, and a dry run changes nothing', async () => {
    const runs = join(home, 'runs');
    const before = contents(runs);
    const dry = await runCommand(home, 'clean', '--reruns', '--runs', 'first');
    expect(dry.out).toContain('scientist clean first --reruns --runs --yes');
    expect((await runCommand(home, 'clean')).out).toMatch(/whole runs that are over +3 .*scientist clean --runs --yes/);
    expect(contents(runs)).toEqual(before);
    const done = await runCommand(home, 'clean', 'first', '--runs', '--yes');
    expect(done.code, done.out + done.err).toBe(0);
    expect(readdirSync(runs).sort()).toEqual(['repaired', 'tuned']);
    const others = Object.entries(before).filter(([path]) => !path.startsWith('first/'));
    expect(contents(runs)).toEqual(Object.fromEntries(others));
  }, 120_000);

  test('and was removed is not missed by its fork', async () => {
    expect(existsSync(runPaths(root, 'first').root)).toBe(false);
    const again = await runCommand(home, 'rerun', 'tuned', 'n1');
    expect(again.code, again.out + again.err).toBe(0);
    expect(again.out).toMatch(/reproduced$/m);
  });
});

describe('a run that goes on', () => {
  const home = newSlowHome(4000, SCRIPTED.replace('proposer: {kind: scripted, script: script.yaml}\n', ''));
  const root = { root: home };
  afterAll(() => removeHome(home));

  test('keeps all of its files and its devices, and ends well', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'live');
    await run.saying(/n1 .*good/);
    // It stays open, with its devices, until it is told to go on.
    expect((await runCommand(home, 'pause', 'live')).code).toBe(0);
    const clean = await runCommand(
      home,
      'clean',
      'live',
      '--runs',
      '--attempts',
      '--checkpoints',
      '--reruns',
      '--cache',
      '--yes',
    );
    expect(clean.err).toContain('live is left alone');
    expect(clean.out).toMatch(/^removed 0 of 0/m);
    expect(clean.code).toBe(2);
    const rerun = await runCommand(home, 'rerun', 'live', 'n1');
    expect(rerun.code, rerun.out + rerun.err).toBe(3);
    expect(rerun.err).toMatch(/cpu0 is held by.*cpu1 is held by/);
    expect((await runCommand(home, 'unpause', 'live')).code).toBe(0);
    expect(await run.ended, run.out() + run.err()).toBe(0);
    expect(auditLedger((await readLedgers(root)).lines)).toMatchObject({ open: [], overlaps: [], doubled: [] });
  }, 240_000);

  test('and then fails is forked from where it was', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'failed');
    await run.saying(/n1 .*good/);
    await temporal(home, 'workflow', 'terminate', '--workflow-id', 'failed');
    expect(await run.ended).toBe(1);
    const fork = await runCommand(home, 'fork', 'failed', '--from', 'n1', '--run-id', 'saved');
    expect(fork.code, fork.out + fork.err).toBe(0);
    expect((await readEvents(root, 'saved'))[1]).toMatchObject({ kind: 'base', node: { id: 'n1', status: 'good' } });
  }, 240_000);

  test('a rerun ends its program at Ctrl-C, and leaves nothing open', async () => {
    const rerun = startCommand(home, 'rerun', 'live', 'n1', '--seed', '1');
    await rerun.saying(/n1 of run live/);
    rerun.signal('SIGINT');
    expect(await rerun.ended, rerun.out() + rerun.err()).toBe(130);
    expect(auditLedger((await readLedgers(root)).lines).open).toEqual([]);
  });
});
