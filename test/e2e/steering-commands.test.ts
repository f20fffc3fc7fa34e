import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { StatusOutput } from '../../src/cli/json-output.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { StageStatus } from '../../src/domain/messages.ts';
import { eventually } from '../support/gate.ts';
import { say } from '../support/cli-in-process.ts';
import { newSlowHome, removeHome, runCommand, type RunningCommand, startCommand, startUp } from '../support/cli.ts';

/** Every command that steers a run, typed while it runs, and what a person types when a run needs one: the real command. */

/** Good drafts, made two at a time, of which none ends the stage. */
const CONFIG = `task: probe
devices: cpu:2
schedule: async
proposer: {kind: scripted, script: script.yaml}
search: {all_datasets_from: 5, good_nodes: 100}
agent:
  num_workers: 2
  stages: {stage1_max_iters: 100, stage2_max_iters: 100, stage3_max_iters: 0, stage4_max_iters: 0}
  search: {num_drafts: 100}
  multi_seed_eval: {num_seeds: 0}
`;
const SCRIPT = `default: search_space
entries:
${Array.from({ length: 6 }, (_, index) => `  - {match: {node: n${index + 1}}, parameters: {x: ${index / 20}}}`).join('\n')}
`;

function newScriptedHome(ms: number): string {
  const home = newSlowHome(ms, CONFIG);
  writeFileSync(join(home, 'script.yaml'), SCRIPT);
  return home;
}

async function statusOf(home: string, run: string): Promise<StatusOutput> {
  return StatusOutput.parse(JSON.parse((await runCommand(home, 'status', run, '--json')).out));
}

/** Pauses at checkpoints and waits until nothing is on a device any more. */
async function pause(home: string, run: string): Promise<StageStatus> {
  const said = await runCommand(home, 'pause', run, '--checkpoint');
  expect(said.code, said.err).toBe(0);
  return eventually('the run is paused', async () => {
    const stage = (await statusOf(home, run)).live?.stage ?? null;
    const isStill = stage?.state === 'paused' && stage.running.every(({ doing }) => doing === 'waiting for a device');
    return isStill ? stage : null;
  });
}

function nodesOf(events: readonly JournalEvent[]) {
  return events.flatMap((event) => (event.kind === 'node' ? [event.node] : []));
}

describe('a run that is paused', () => {
  const home = newScriptedHome(1000);
  let run: RunningCommand | null = null;
  let cancelled = '';
  /** A few more nodes than were given out when it was paused. */
  let budget = 0;

  beforeAll(async () => {
    run = startCommand(home, 'run', 'config.yaml', '--run-id', 'steered');
    await run.saying(/n2 +draft .*good/);
    const paused = await pause(home, 'steered');
    cancelled = paused.running[0]?.node ?? '';
    budget = paused.outcomes.dispatched + 4;
  }, 240_000);
  afterAll(() => removeHome(home));

  test.each([
    [['pin', 'steered', 'n99'], 'no node n99'],
    [['pin', 'steered', 'first'], 'node: '],
    [['prune', 'steered', 'n99'], 'no node n99'],
    [['add', 'steered', 'improve', 'n99'], 'no node n99'],
    [['add', 'steered', 'improvise', 'n1'], 'operator: '],
    [['add', 'steered', 'tune', 'n1', 'colour'], 'colour is no component that tune can be about: '],
    [['strategy', 'steered', 'by_luck'], 'by_luck'],
    [['strategy', 'steered', 'data_parallel', '--option', 'no=1'], 'no'],
    [['workers', 'steered', 'two'], 'workers: '],
    [['workers', 'steered', '0'], 'workers: '],
    [['budget', 'steered', '--nodes', 'many'], 'nodes: '],
    [['budget', 'steered', '--nodes', ''], 'nodes: '],
    [['budget', 'steered', '--nodes', '5', '--stage', 'tuning'], 'stage: '],
    [['cancel-node', 'steered', 'n1'], 'n1 is not being made; running: '],
    [['retry', 'steered', 'initial_implementation'], 'stage initial_implementation has not failed'],
  ])('refuses %s with the reason and what to do', async (argv, why) => {
    const said = await say(home, ...argv);
    expect(said.err.join('\n')).toContain(why);
    expect(said.err).toContainEqual(expect.stringMatching(/^fix: \S/));
    expect(said.code).toBe(2);
  });

  test('takes every command, ends with exactly the nodes of its budget, and tells in the journal who did what', async () => {
    expect(cancelled).toMatch(/^n\d+$/);
    for (const argv of [
      ['pin', 'steered', 'n1'],
      ['unpin', 'steered'],
      ['prune', 'steered', 'n2', '--reason', 'too good to be true'],
      ['add', 'steered', 'tune', 'n1', 'y'],
      ['strategy', 'steered', 'data_parallel'],
      ['workers', 'steered', '1'],
      ['budget', 'steered', '--nodes', String(budget)],
      ['cancel-node', 'steered', cancelled, '--reason', 'looks wrong'],
      ['unpause', 'steered', '--reason', 'enough'],
    ]) {
      const said = await runCommand(home, ...argv);
      expect(said.code, argv.join(' ') + said.err).toBe(0);
      expect(said.out, argv.join(' ')).toMatch(/\S/);
    }
    expect(await run?.ended, `${run?.out()}${run?.err()}`).toBe(0);
    const events = await readEvents({ root: home }, 'steered');
    const nodes = nodesOf(events);
    expect(nodes).toHaveLength(budget);
    expect(nodes.find(({ id }) => id === cancelled)).toMatchObject({ status: 'buggy', reason: 'cancelled' });
    expect(nodes).toContainEqual(expect.objectContaining({ operator: 'tune', parent: 'n1', stage: 'initial_implementation' }));
    expect(nodes.filter(({ parent }) => parent === 'n2')).toEqual([]);
    expect(events.flatMap((event) => (event.kind === 'steered' ? [event.message] : []))).toEqual([
      'paused at checkpoints',
      'n1 pinned',
      'no node is pinned any more',
      'n2 pruned: too good to be true',
      'added: tune of n1, y',
      'strategy set to data_parallel {}',
      'workers set to 1',
      `budget of the run set to ${budget} nodes`,
      `${cancelled} cancelled: looks wrong`,
      'unpaused: enough',
    ]);
    expect(run?.out()).toMatch(/steered +n2 pruned: too good to be true/);
  }, 240_000);

  test('shows the pruned node as pruned afterwards, and counts it as no best', async () => {
    const { code, out } = await runCommand(home, 'journal', 'steered');
    expect(code).toBe(0);
    expect(out).toMatch(/steered +n2 pruned: too good to be true/);
    const report = readFileSync(runPaths({ root: home }, 'steered').reportMarkdown, 'utf8');
    expect(report).toMatch(/n2.*pruned by a person/);
    expect(report).not.toMatch(/n1\b.*pruned by a person/);
  });
});

describe('a stage whose nodes all fail for reasons of the platform', () => {
  const home = newScriptedHome(1000);
  const runFile = runPaths({ root: home }, 'parked').runFile;
  let up: RunningCommand | null = null;
  let run: RunningCommand | null = null;

  beforeAll(async () => {
    up = await startUp(home, 'cpu:2');
    run = startCommand(home, 'run', 'config.yaml', '--run-id', 'parked');
    await run.saying(/n2 +draft .*good/);
    await pause(home, 'parked');
    renameSync(runFile, `${runFile}.away`);
    expect((await runCommand(home, 'unpause', 'parked')).code).toBe(0);
    await run.ended;
  }, 240_000);
  afterAll(() => removeHome(home));

  test('makes the command end with code 1, what happened and what to type', () => {
    expect(run?.child.exitCode, `${run?.out()}${run?.err()}`).toBe(1);
    expect(run?.out()).toMatch(
      /^error: run parked needs attention: stage initial_implementation failed: the last \d+ nodes of stage initial_implementation failed for reasons of the platform: .*run\.json/m,
    );
    expect(run?.out()).toContain('fix: mend the cause, then: scientist retry parked initial_implementation');
  });

  test('is told by status as what needs attention, with the reason', async () => {
    const { code, out } = await runCommand(home, 'status', 'parked');
    expect(code).toBe(0);
    expect(out).toMatch(/^parked .*needs_attention/m);
    expect(out).toMatch(/waiting: a person: stage initial_implementation failed \(the last \d+ nodes/);
  });

  test('goes on by the very line that was printed, with nobody hosting it, and is completed', async () => {
    renameSync(`${runFile}.away`, runFile);
    up?.signal('SIGINT');
    expect(await up?.ended).toBe(0);
    const idle = await runCommand(home, 'status', 'parked');
    expect(idle.out).toContain('go on with it: scientist resume parked');
    const resumed = await runCommand(home, 'resume', 'parked');
    expect(resumed.code, resumed.out + resumed.err).toBe(1);
    const line = /^fix: .*: scientist (retry .*)$/m.exec(resumed.out)?.[1] ?? '';
    const retry = startCommand(home, ...line.split(' '));
    await retry.saying(/draft .*good/);
    expect((await runCommand(home, 'budget', 'parked', '--nodes', '9')).code).toBe(0);
    expect(await retry.ended, retry.out() + retry.err()).toBe(0);
    expect(retry.out()).toContain('the run is complete');
    const events = await readEvents({ root: home }, 'parked');
    const steered = events.flatMap((event) => (event.kind === 'steered' ? [event.message] : []));
    expect(steered).toContainEqual(expect.stringMatching(/^stage initial_implementation begun anew after it failed: the last/));
    expect(nodesOf(events).filter((node) => node.status === 'buggy' && node.reason === 'infrastructure').length).toBeGreaterThan(
      2,
    );
    expect((await statusOf(home, 'parked')).state).toBe('finished');
  }, 240_000);
});
