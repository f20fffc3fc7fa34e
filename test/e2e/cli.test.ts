import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunId } from '../../src/domain/ids.ts';
import { runPaths } from '../../src/adapters/layout.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { JournalOutput, ListOutput, PlanOutput, StatusOutput } from '../../src/cli/json-output.ts';
import { livingSupervisor, livingWorkers } from '../../src/workers/records.ts';
import {
  killServices,
  newHome,
  newSlowHome,
  removeHome,
  runCommand,
  type RunningCommand,
  startCommand,
  startUp,
  TINIEST_CONFIG,
} from '../support/cli.ts';

/** The command from the outside: real processes, the real server, the task probe. */

const json = (text: string): unknown => JSON.parse(text);

describe('a run from its start to its end', () => {
  const home = newHome();
  let run: Awaited<ReturnType<typeof runCommand>>;

  beforeAll(async () => {
    run = await runCommand(home, 'run', 'config.yaml', '--run-id', 'first');
  }, 180_000);
  afterAll(() => removeHome(home));

  test('ends with exit code 0 and tells every node of four stages as it lands', async () => {
    expect(run.code, run.out + run.err).toBe(0);
    const events = await readEvents({ root: home }, 'first');
    const nodes = events.filter(({ kind }) => kind === 'node');
    const lines = run.out.split('\n');
    expect(lines.filter((line) => /^[* ] n\d+ +(draft|debug|improve|tune|ablate) .*(good|buggy)/.test(line))).toHaveLength(
      nodes.length,
    );
    for (const number of [1, 2, 3, 4]) expect(lines.filter((line) => line.startsWith(`stage ${number}/4 `))).toHaveLength(2);
  });

  test('ends by saying where the best program, the report and the journal are, and that is so', () => {
    const paths = runPaths({ root: home }, 'first');
    expect(run.out).toMatch(/the run is complete: 4 of 4 stages/);
    for (const path of [paths.reportMarkdown, paths.journalFile, paths.best]) {
      expect(existsSync(path)).toBe(true);
    }
    expect(run.out).toMatch(/^report +.*report\.md$/m);
    expect(run.out).toMatch(/^program +.*best\/$/m);
    expect(run.out).toMatch(
      /^history +npm run scientist -- up, then open http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/first$/m,
    );
    expect(run.out).toMatch(/^best +n\d+ score .*on 2 fresh seeds: mean .*interval/m);
  });

  test('stops everything that it started', async () => {
    expect(await livingSupervisor({ root: home })).toBeNull();
    expect(await livingWorkers({ root: home })).toEqual([]);
  });

  test('can be looked at afterwards, without a server', async () => {
    const status = StatusOutput.parse(json((await runCommand(home, 'status', 'first', '--json')).out));
    expect(status).toMatchObject({ state: 'finished', live: null });
    expect(status.stages).toHaveLength(4);
    expect(ListOutput.parse(json((await runCommand(home, 'list', '--json')).out)).runs).toMatchObject([
      { runId: 'first', state: 'finished' },
    ]);
    const journal = JournalOutput.parse(json((await runCommand(home, 'journal', 'first', '--json')).out));
    expect(journal.events).toEqual(await readEvents({ root: home }, 'first'));
    expect((await runCommand(home, 'report', 'first', '--print')).out).toMatch(/^# /);
  });

  test('refuses the same id, with the line that resumes it', async () => {
    const again = await runCommand(home, 'run', 'config.yaml', '--run-id', 'first');
    expect(again.code).toBe(2);
    expect(again.err).toContain('scientist resume first');
  });

  test('shows its end state when it is resumed, and runs nothing again', async () => {
    const before = await readEvents({ root: home }, 'first');
    const resumed = await runCommand(home, 'resume', 'first');
    expect(resumed.code, resumed.out + resumed.err).toBe(0);
    expect(resumed.out).toContain('the run is complete');
    expect(await readEvents({ root: home }, 'first')).toEqual(before);
  }, 120_000);
});

describe('a run that is left and resumed', () => {
  const home = newSlowHome(300, TINIEST_CONFIG);
  afterAll(() => removeHome(home));

  test('Ctrl-C leaves it durable, and resume ends it with every node once', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'left');
    await run.saying(/ n1 +draft/);
    run.signal('SIGINT');
    expect(await run.ended, run.out() + run.err()).toBe(130);
    expect(run.out()).toContain('scientist resume left');
    expect(await livingSupervisor({ root: home })).toBeNull();
    expect(StatusOutput.parse(json((await runCommand(home, 'status', '--json')).out))).toMatchObject({
      runId: 'left',
      state: 'idle',
    });

    const resumed = await runCommand(home, 'resume', 'left');
    expect(resumed.code, resumed.out + resumed.err).toBe(0);
    const events = await readEvents({ root: home }, 'left');
    const made = events.flatMap((event) => (event.kind === 'node' ? [event.node.id] : []));
    expect(new Set(made).size).toBe(made.length);
    expect(events.filter(({ kind }) => kind === 'stage_finished')).toHaveLength(4);
  }, 240_000);

  test('a follower outlives the death of the server and of all workers', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'killed');
    await run.saying(/ n1 +draft/);
    await killServices(home);
    expect(await run.ended, run.out() + run.err()).toBe(0);
    const away = run
      .out()
      .split('\n')
      .filter((line) => /is away|answers for the run/.test(line));
    expect(away.length).toBeLessThanOrEqual(4);
    expect(run.out()).toContain('the run is complete');
  }, 240_000);

  test('after the death of everything, the command included, resume goes on', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'dead');
    await run.saying(/ n1 +draft/);
    run.signal('SIGKILL');
    await killServices(home);
    await run.ended;
    const resumed = await runCommand(home, 'resume', 'dead');
    expect(resumed.code, resumed.out + resumed.err).toBe(0);
    expect(resumed.out).toContain('the run is complete');
  }, 240_000);
});

describe('with scientist up in another terminal', () => {
  const home = newSlowHome(300);
  let up: RunningCommand | null = null;
  beforeAll(async () => {
    up = await startUp(home, 'cpu:2');
  }, 120_000);
  afterAll(async () => {
    up?.signal('SIGTERM');
    expect(await up?.ended).toBe(0);
    await removeHome(home);
  });

  test('a detached run goes on by itself and can be watched, steered and stopped', async () => {
    const started = await runCommand(home, 'run', 'config.yaml', '--detach', '--run-id', 'alone');
    expect(started, started.err).toMatchObject({ code: 0, out: 'alone\n' });
    const watching = startCommand(home, 'watch', 'alone');
    await watching.saying(/ n1 +draft/);
    expect(await runCommand(home, 'pause', 'alone', '--reason', 'lunch')).toMatchObject({
      code: 0,
      out: 'pause was sent to alone\n',
    });
    const status = StatusOutput.parse(json((await runCommand(home, 'status', 'alone', '--json')).out));
    expect(status).toMatchObject({ state: 'running', live: { run: { state: 'paused' } } });
    expect((await runCommand(home, 'unpause', 'alone')).code).toBe(0);
    expect((await runCommand(home, 'workers', 'alone', '1')).code).toBe(0);
    expect((await runCommand(home, 'stop', 'alone', '--now')).code).toBe(0);
    expect([0, 4]).toContain(await watching.ended);
    expect(watching.out()).toContain('the run was stopped');
    expect((await runCommand(home, 'pause', 'alone')).err).toContain('has ended');
  }, 180_000);

  test('what a run refuses is refused with exit code 2 and its reason', async () => {
    expect((await runCommand(home, 'run', 'config.yaml', '--detach', '--run-id', 'refusing')).code).toBe(0);
    // So that it does not end before the last of these is typed.
    expect((await runCommand(home, 'pause', 'refusing')).code).toBe(0);
    const refused = await runCommand(home, 'cancel-node', 'refusing', 'n99');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/n99|no stage/);
    expect(await runCommand(home, 'workers', 'refusing', 'many')).toMatchObject({ code: 2 });
    expect(await runCommand(home, 'skip', 'refusing', 'stage5')).toMatchObject({ code: 2 });
    const unknown = await runCommand(home, 'pause', 'refusin');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('did you mean refusing');
    expect((await runCommand(home, 'cancel', 'refusing')).code).toBe(0);
  }, 120_000);
});

describe('input that cannot work is refused before anything starts', () => {
  const home = newHome();
  afterAll(() => removeHome(home));
  const config = (text: string): string => {
    writeFileSync(join(home, 'bad.yaml'), text);
    return 'bad.yaml';
  };

  test.each([
    ['broken YAML', 'task: [probe', 2, /bad\.yaml:1/],
    ['an unknown key', 'task: probe\nagent:\n  num_wrkers: 2\n', 2, /bad\.yaml:3.*num_workers/],
    ['a value out of range', 'task: probe\nagent: {num_workers: 0}\n', 2, /num_workers/],
    ['an unknown task', 'task: prope\n', 2, /probe/],
    ['an unknown strategy', 'task: probe\nstrategy: {name: in_ordre}\n', 2, /in_order/],
    ['an empty file', '', 2, /bad\.yaml/],
    ['a GPU that is not there', 'task: probe\ndevices: gpu:77\n', 3, /gpu:77/],
  ])('%s', async (_, text, code, said) => {
    const run = await runCommand(home, 'run', config(text));
    expect(run.code, run.err).toBe(code);
    expect(run.err).toMatch(/^error: /);
    expect(run.err).toMatch(/^fix: /m);
    expect(run.err).toMatch(said);
    expect(run.err).not.toMatch(/^ +at /m);
    expect(existsSync(join(home, '.scientist', 'temporal.db'))).toBe(false);
  });

  test.each([
    ['a config that is not there', ['run', 'nowhere.yaml'], 2],
    ['a bad run id', ['run', 'config.yaml', '--run-id', '../x'], 2],
    ['a bad --set', ['run', 'config.yaml', '--set', 'agent'], 2],
    ['an unknown key in --set', ['run', 'config.yaml', '--set', 'agent.num_wrokers=2'], 2],
    ['bad devices', ['run', 'config.yaml', '--devices', 'tpu'], 2],
    ['detaching without a server', ['run', 'config.yaml', '--detach'], 3],
  ])('%s', async (_, argv, code) => {
    const run = await runCommand(home, ...argv);
    expect(run.code, run.err).toBe(code);
    expect(run.err).toMatch(/^fix: /m);
  });

  test('resuming an unknown run names the nearest', async () => {
    const resumed = await runCommand(home, 'resume', 'nothing');
    expect(resumed.code, resumed.err).toBe(2);
    expect(resumed.err).toContain('there is no run nothing');
  }, 120_000);

  test('a dry run shows the plan and starts nothing', async () => {
    const plan = PlanOutput.parse(
      json((await runCommand(home, 'run', 'config.yaml', '--dry-run', '--json', '--set', 'agent.stages.stage1_max_iters=7')).out),
    );
    expect(plan.plan.stages[0]?.maxNodes).toBe(7);
    expect(RunId.parse(plan.plan.runId)).toMatch(/^probe-\d{8}-1$/);
    expect((await runCommand(home, 'run', 'config.yaml', '--dry-run')).out).toContain('at most 3 nodes');
    expect(existsSync(join(home, 'runs'))).toBe(false);
  });

  test('a database of another server version is refused with the ways out', async () => {
    const other = newHome();
    writeFileSync(join(other, 'keep'), '');
    await runCommand(other, 'doctor');
    writeFileSync(join(other, '.scientist', 'temporal.db'), '');
    writeFileSync(join(other, '.scientist', 'temporal.db.version'), '0.0.1\n');
    const run = await runCommand(other, 'run', 'config.yaml');
    expect(run.code).toBe(3);
    expect(run.err).toContain('0.0.1');
    expect((await runCommand(other, 'doctor')).code).toBe(3);
    expect(readFileSync(join(other, '.scientist', 'temporal.db'), 'utf8')).toBe('');
    await removeHome(other);
  });
});
