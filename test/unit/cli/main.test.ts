import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { DevicesOutput, JournalOutput, ListOutput, StatusOutput } from '../../../src/cli/json-output.ts';
import { say, storeExample } from '../../support/cli-in-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const json = (lines: readonly string[]): unknown => JSON.parse(lines.join('\n'));

describe('scientist', () => {
  it('lists its commands and documents its exit codes', async () => {
    const { code, out } = await say(temporaryFolder(), '--help');
    expect(code).toBe(0);
    const text = out.join('\n');
    for (const name of [
      'run',
      'resume',
      'up',
      'worker',
      'status',
      'watch',
      'list',
      'journal',
      'pause',
      'unpause',
      'stop',
      'cancel',
    ]) {
      expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    for (const name of ['skip', 'workers', 'cancel-node', 'input', 'report', 'devices', 'strategies', 'schema', 'doctor']) {
      expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    expect(text).toContain('130  interrupted; the run is durable and can be resumed');
  });

  it.each([
    ['an unknown command', ['rnu']],
    ['an unknown option', ['status', '--jsno']],
    ['a missing argument', ['run']],
    ['an argument too many', ['list', 'all']],
    ['no command at all', []],
  ])('refuses %s with exit code 2 and points to the help', async (_, argv) => {
    const { code, err } = await say(temporaryFolder(), ...argv);
    expect(code).toBe(2);
    expect(err.join('\n')).toMatch(/help/);
  });

  it('suggests what was probably meant', async () => {
    expect((await say(temporaryFolder(), 'statsu')).err.join('\n')).toContain('status');
  });

  it('prints the schema of a config and the strategies', async () => {
    expect(json((await say(temporaryFolder(), 'schema')).out)).toMatchObject({ type: 'object' });
    expect((await say(temporaryFolder(), 'strategies')).out[0]).toMatch(/^in_order {2}/);
  });
});

describe('scientist without a server', () => {
  it('shows the status of the latest run from the disk, and how to go on', async () => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    const { code, out } = await say(home, 'status');
    expect(code).toBe(0);
    expect(out[0]).toContain(`${run.plan.runId}  digits  idle`);
    expect(out.filter((line) => line.includes('stage '))).toHaveLength(4);
    expect(out.at(-1)).toBe(`go on with it: scientist resume ${run.plan.runId}`);
  });

  it('prints the status as JSON to its schema', async () => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    const status = StatusOutput.parse(json((await say(home, 'status', run.plan.runId, '--json')).out));
    expect(status).toMatchObject({ state: 'idle', live: null, metric: run.plan.metric });
    expect(status.stages[0]).toMatchObject({ stage: 'initial_implementation', good: 2, buggy: 2, best: { id: 'n1' } });
  });

  it('lists runs, for people and as JSON', async () => {
    const home = temporaryFolder();
    expect((await say(home, 'list')).out[0]).toContain('no run yet');
    const { run } = await storeExample(home);
    expect((await say(home, 'list')).out[0]).toContain(run.plan.runId);
    const { runs } = ListOutput.parse(json((await say(home, 'list', '--json')).out));
    expect(runs).toMatchObject([{ runId: run.plan.runId, state: 'idle', task: 'digits', report: null }]);
  });

  it('prints the journal one line per event, and as JSON with every event', async () => {
    const home = temporaryFolder();
    const { run, events } = await storeExample(home);
    const { out } = await say(home, 'journal', run.plan.runId);
    expect(out).toHaveLength(events.length);
    const printed = JournalOutput.parse(json((await say(home, 'journal', run.plan.runId, '--json')).out));
    expect(printed.events).toEqual(events);
  });

  it('says where the report is, or that there is none yet', async () => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    expect(await say(home, 'report', run.plan.runId)).toMatchObject({
      code: 2,
      err: [expect.stringContaining('no report yet'), expect.stringContaining('resume')],
    });
    const path = runPaths({ root: home }, run.plan.runId).reportMarkdown;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '# Report\n');
    expect((await say(home, 'report', run.plan.runId)).out).toEqual([path]);
    expect((await say(home, 'report', run.plan.runId, '--print')).out).toEqual(['# Report']);
    expect((await say(home, 'list')).out[0]).toContain('finished');
  });

  it.each([['status'], ['journal'], ['report']])('%s of an unknown run names the nearest, with exit code 2', async (command) => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    const { code, err } = await say(home, command, `${run.plan.runId}x`);
    expect(code).toBe(2);
    expect(err[0]).toBe(`error: there is no run ${run.plan.runId}x`);
    expect(err[1]).toContain(`did you mean ${run.plan.runId}?`);
  });

  it.each([
    ['pause', []],
    ['stop', []],
    ['cancel', []],
    ['skip', ['baseline_tuning']],
    ['workers', ['2']],
    ['cancel-node', ['n1']],
    ['watch', []],
  ])('%s needs a server and says which command starts one, with exit code 3', async (command, rest) => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    const { code, err } = await say(home, command, run.plan.runId, ...rest);
    expect(code).toBe(3);
    expect(err[1]).toContain('scientist resume');
  });

  it('shows what can be read of a damaged journal, names what cannot, and does not call that success', async () => {
    const home = temporaryFolder();
    const { run } = await storeExample(home);
    writeFileSync(runPaths({ root: home }, run.plan.runId).event(2), '{"seq":');
    const { code, out, err } = await say(home, 'journal', run.plan.runId);
    expect(code).toBe(3);
    expect(err[0]).toContain('0000002.json');
    expect(out.length).toBeGreaterThan(2);
  });

  it('shows the devices of this machine, and refuses a specification that it cannot read', async () => {
    const home = temporaryFolder();
    const { devices } = DevicesOutput.parse(json((await say(home, 'devices', '--devices', 'cpu:2', '--json')).out));
    expect(devices.map(({ name }) => name)).toEqual(['cpu0', 'cpu1']);
    expect((await say(home, 'devices', '--devices', 'tpu:1')).code).toBe(2);
  });
});
