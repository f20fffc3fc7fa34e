import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readEvents } from '../../src/adapters/run-store.ts';
import { StatusOutput } from '../../src/cli/json-output.ts';
import { RunStatus, StageStatus } from '../../src/domain/messages.ts';
import { newSlowHome, removeHome, runCommand, type RunningCommand, startUp, temporal } from '../support/cli.ts';
import { eventually } from '../support/gate.ts';

/** A run in the hands of the `temporal` command alone, as the documentation shows it. */

const home = newSlowHome(500);
let up: RunningCommand | null = null;

beforeAll(async () => {
  up = await startUp(home, 'cpu:2');
}, 120_000);
afterAll(async () => {
  up?.signal('SIGTERM');
  await up?.ended;
  await removeHome(home);
});

async function start(id: string, input = '{"config":"config.yaml"}'): Promise<string> {
  const { code, out } = await temporal(
    home,
    'workflow',
    'start',
    '--type',
    'research',
    '--task-queue',
    'research',
    '--workflow-id',
    id,
    '--input',
    input,
  );
  expect(code, out).toBe(0);
  return id;
}

/**
 * The answer of a query. Without the flag, `temporal` prints payloads as JSON of its own, in which an empty
 * list is `null`.
 */
async function query(id: string, type: string): Promise<unknown> {
  const args = ['workflow', 'query', '--workflow-id', id, '--type', type, '-o', 'json', '--no-json-shorthand-payloads'];
  const { code, out } = await temporal(home, ...args);
  expect(code, out).toBe(0);
  const data = QueryOutput.parse(JSON.parse(out)).queryResult.payloads[0]?.data ?? '';
  return JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
}

const QueryOutput = z.object({ queryResult: z.object({ payloads: z.array(z.object({ data: z.string() })).length(1) }) });

const status = async (id: string): Promise<RunStatus> => RunStatus.parse(await query(id, 'status'));
const signal = (id: string, name: string, ...rest: string[]) =>
  temporal(home, 'workflow', 'signal', '--workflow-id', id, '--name', name, ...rest);
const update = (id: string, name: string, input: string) =>
  temporal(home, 'workflow', 'update', 'execute', '--workflow-id', id, '--name', name, '--input', input);

async function describeStatus(id: string): Promise<string> {
  const { out } = await temporal(home, 'workflow', 'describe', '--workflow-id', id, '-o', 'json');
  return /"status": "WORKFLOW_EXECUTION_STATUS_(\w+)"/.exec(out)?.[1] ?? out;
}

const nodesOf = async (id: string): Promise<number> =>
  (await readEvents({ root: home }, id)).filter(({ kind }) => kind === 'node').length;

describe('the temporal command', () => {
  test('starts a run with JSON; pause and unpause hold it and let it go on; stop ends it with a report', async () => {
    const id = await start('steered');
    await eventually('a node has landed', async () => (await nodesOf(id)) > 0);
    expect((await signal(id, 'pause')).code).toBe(0);
    await eventually('it is paused', async () => (await status(id)).state === 'paused');
    expect((await signal(id, 'unpause', '--input', '{"reason":"go on"}')).code).toBe(0);
    await eventually('it runs again', async () => (await status(id)).state === 'running');
    expect((await signal(id, 'stop', '--input', '{"mode":"now"}')).code).toBe(0);
    await eventually('it has ended', async () => (await describeStatus(id)) === 'COMPLETED');
    const { out } = await temporal(home, 'workflow', 'result', '--workflow-id', id, '-o', 'json');
    expect(out).toContain('"stopped"');
    expect((await runCommand(home, 'report', id)).code).toBe(0);
  }, 180_000);

  test('starts a run with the line that scientist input prints', async () => {
    const printed = await runCommand(home, 'input', 'config.yaml', '--set', 'agent.num_workers=1', '--command');
    expect(printed.code, printed.err).toBe(0);
    const [, id, input] = /--workflow-id (\S+) --input '([^']+)'/.exec(printed.out) ?? [];
    expect(JSON.parse(input ?? '')).toEqual({ config: 'config.yaml', set: { 'agent.num_workers': '1' } });
    await start(id ?? '', input);
    await eventually('it is in its first stage', async () => (await status(id ?? '')).stage === 'initial_implementation');
    expect((await temporal(home, 'workflow', 'cancel', '--workflow-id', id ?? '')).code).toBe(0);
    await eventually('it is cancelled', async () => (await describeStatus(id ?? '')) === 'CANCELED');
  }, 180_000);

  test('updates workers, cancels a node and skips a stage; answers queries of run and stage', async () => {
    const id = await start('updated');
    await eventually('a node has landed', async () => (await nodesOf(id)) > 0);
    expect((await update(id, 'setWorkers', '{"workers": 1}')).code).toBe(0);
    const at = await status(id);
    const stage = `${id}/${at.stage}`;
    let running = '';
    await eventually('a node is being made', async () => {
      running = StageStatus.parse(await query(stage, 'status')).running.find(({ item }) => item.kind === 'node')?.node ?? '';
      return running !== '' && (await update(stage, 'cancelNode', JSON.stringify({ node: running }))).code === 0;
    });
    await eventually('the node is journalled as cancelled', async () => {
      const events = await readEvents({ root: home }, id);
      return events.some(
        (event) =>
          event.kind === 'node' &&
          event.node.id === running &&
          event.node.status === 'buggy' &&
          event.node.reason === 'cancelled',
      );
    });
    for (const type of ['best', 'outcomes', 'plan', 'journal']) await query(id, type);
    await eventually('a good node is there', async () => (await query(id, 'best')) !== null);
    expect((await update(id, 'skipStage', '{"stage": "ablation_studies"}')).code).toBe(0);
    await eventually('it has ended', async () => (await describeStatus(id)) === 'COMPLETED');
    const stages = (await readEvents({ root: home }, id))
      .filter(({ kind }) => kind === 'stage_started')
      .map((event) => event.stage);
    expect(stages).toEqual(['initial_implementation', 'baseline_tuning', 'creative_research']);
  }, 240_000);

  test('takes each message by which a person steers, refuses what makes no sense, and the run is unharmed', async () => {
    const set = { 'agent.num_workers': 1, 'agent.search.num_drafts': 4, 'agent.stages.stage1_max_iters': 8 };
    const id = await start('steering', JSON.stringify({ config: 'config.yaml', set }));
    const stage = `${id}/initial_implementation`;
    const stageState = async () => StageStatus.parse(await query(stage, 'status'));
    await eventually('there is a good node', async () => (await stageState()).best !== null);
    expect((await signal(id, 'pause', '--input', '{"mode":"checkpoint","reason":"test"}')).code).toBe(0);
    await eventually('it is paused', async () => (await status(id)).state === 'paused');
    const best = (await stageState()).best?.id ?? '';
    const refused: [string, string, string][] = [
      [stage, 'pinNode', '{"node": "n99"}'],
      [stage, 'pinNode', '{"nod": "n1"}'],
      [stage, 'pruneNode', '{"node": "n99"}'],
      [stage, 'pruneNode', '"n1"'],
      [stage, 'addItem', '{"operator": "tune"}'],
      [stage, 'addItem', `{"operator": "improve", "parent": "${best}", "target": "x"}`],
      [stage, 'setStrategy', '{"name": "by_chance"}'],
      [stage, 'setStrategy', '{"name": "in_order", "options": {"x": 1}}'],
      [id, 'setBudget', '{"nodes": -1}'],
      [id, 'setBudget', '{"nodes": null, "stage": "baseline_tuning"}'],
      [id, 'retryStage', '{"stage": "initial_implementation"}'],
      [id, 'retryStage', '{}'],
    ];
    for (const [to, name, input] of refused) expect((await update(to, name, input)).code, `${name} ${input}`).not.toBe(0);
    for (const [to, name, input] of [
      [stage, 'pinNode', JSON.stringify({ node: best })],
      [stage, 'pinNode', '{"node": null}'],
      [stage, 'addItem', JSON.stringify({ operator: 'improve', parent: best })],
      [stage, 'setStrategy', '{"name": "in_order"}'],
      [id, 'setBudget', '{"nodes": 6, "stage": "initial_implementation"}'],
      [id, 'setBudget', '{"nodes": 9}'],
      [stage, 'pruneNode', JSON.stringify({ node: best })],
    ] as const) {
      const { code, out } = await update(to, name, input);
      expect(code, `${name}: ${out}`).toBe(0);
    }
    expect((await signal(id, 'unpause')).code).toBe(0);
    await eventually('it has ended', async () => (await describeStatus(id)) === 'COMPLETED');
    const events = await readEvents({ root: home }, id);
    const said = events.flatMap((event) => (event.kind === 'steered' ? [event.message] : []));
    for (const what of ['paused at checkpoints: test', 'pinned', 'added: improve', 'strategy set', 'budget of the run', 'pruned'])
      expect(said.join('\n')).toContain(what);
    expect(events.filter(({ kind }) => kind === 'node').length).toBeLessThanOrEqual(9);
    expect(
      events.filter(({ kind, stage: name }) => kind === 'node' && name === 'initial_implementation').length,
    ).toBeLessThanOrEqual(6);
    const finished = events.filter((event) => event.kind === 'stage_finished');
    expect(finished.map((event) => event.best)).not.toContain(best);
    expect((await runCommand(home, 'report', id)).code).toBe(0);
  }, 240_000);

  test('finds runs by search attribute', async () => {
    await eventually('the finished run is listed', async () => {
      const { out } = await temporal(
        home,
        'workflow',
        'list',
        '--query',
        'ResearchTask = "probe" AND ResearchStatus = "completed" AND WorkflowType = "research"',
      );
      return out.includes('updated');
    });
    const { out } = await temporal(home, 'workflow', 'list', '--query', 'ResearchTask = "digits"');
    expect(out).not.toContain('updated');
  });

  test('resets a run to its start, and it goes through its stages again under the same id', async () => {
    const args = ['--workflow-id', 'updated', '--type', 'FirstWorkflowTask', '--reason', 'test'];
    const reset = await temporal(home, 'workflow', 'reset', ...args);
    expect(reset.code, reset.out).toBe(0);
    await eventually(
      'a node has landed again',
      async () => (await status('updated')).state === 'running' && (await nodesOf('updated')) > 0,
    );
    expect((await signal('updated', 'stop', '--input', '{"mode":"now"}')).code).toBe(0);
    await eventually('it has ended', async () => (await describeStatus('updated')) === 'COMPLETED');
    const events = await readEvents({ root: home }, 'updated');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events.filter(({ kind }) => kind === 'stage_started')).toHaveLength(1);
    expect(StatusOutput.parse(JSON.parse((await runCommand(home, 'status', 'updated', '--json')).out)).state).toBe('finished');
  }, 180_000);

  test.each([
    ['no input', undefined, /config|expected|object/i],
    ['input of another shape', '{"config":7}', /config/],
    ['an unknown key', '{"config":"config.yaml","sets":{}}', /sets/],
    ['a config that is not there', '{"config":"nowhere.yaml"}', /nowhere\.yaml/],
    ['a config outside the project', '{"config":"../../etc/passwd"}', /outside/],
    ['a change that does not fit', '{"config":"config.yaml","set":{"agent.num_workers":"none"}}', /num_workers/],
  ])('is told at once what is wrong with %s', async (title, input, said) => {
    const id = `bad-${title.replaceAll(' ', '-')}`;
    const args = ['workflow', 'execute', '--type', 'research', '--task-queue', 'research', '--workflow-id', id];
    const { code, out } = await temporal(home, ...args, ...(input === undefined ? [] : ['--input', input]));
    expect(code).not.toBe(0);
    expect(out).toMatch(said);
  });

  test('an unknown workflow type fails at once instead of hanging', async () => {
    const { code, out } = await temporal(
      home,
      'workflow',
      'execute',
      '--type',
      'reserch',
      '--task-queue',
      'research',
      '--workflow-id',
      'typo',
    );
    expect(code).not.toBe(0);
    expect(out).toContain('reserch');
  });

  test('nonsense in signals and updates is refused or counted, and the run goes on', async () => {
    const id = await start('tough');
    await eventually('a node has landed', async () => (await nodesOf(id)) > 0);
    for (const [name, input] of [
      ['pause', '{"resaon":1}'],
      ['stop', '{"mode":"later"}'],
      ['nosuch', '{}'],
    ] as const) {
      await signal(id, name, '--input', input);
    }
    expect((await update(id, 'setWorkers', '{"workers": 0}')).code).not.toBe(0);
    expect((await update(id, 'skipStage', '{"stage": "stage9"}')).out).toMatch(/stage/);
    expect((await update(id, 'nosuch', '{}')).code).not.toBe(0);
    expect((await status(id)).state).toBe('running');
    const seen = await nodesOf(id);
    await eventually('more nodes have landed', async () => (await nodesOf(id)) > seen);
    await signal(id, 'stop', '--input', '{"mode":"now"}');
    await eventually('it has ended', async () => (await describeStatus(id)) === 'COMPLETED');
  }, 180_000);
});
