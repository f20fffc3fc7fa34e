import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { withSets } from '../../src/adapters/config-sets.ts';
import { runPaths } from '../../src/adapters/layout.ts';
import { listRuns, loadRun, readEvents } from '../../src/adapters/run-store.ts';
import { JournalOutput } from '../../src/cli/json-output.ts';
import { ResultLine } from '../../src/domain/evaluation.ts';
import { STAGE_NAMES } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { isHomeAlive, readServerRecord } from '../../src/workers/records.ts';
import { killServices } from '../support/cli.ts';
import { freshCheckout } from '../support/fresh-checkout.ts';
import { until } from '../support/gate.ts';
import { readDocument, shellLines } from '../support/markdown.ts';
import { openTerminal, rewrite } from '../support/shell.ts';

/**
 * Every command that the README names, typed as it stands there into a checkout as it is after set-up. After
 * `npm start` the config that they use is a smaller one, so that they take seconds.
 */

const readme = readDocument('README.md');
const shown = readme.blocks.filter(({ language }) => language === 'sh').map(shellLines);
const named = readme.codes.filter((code) => /^(?:npm|npx|temporal|node) /.test(code));
const untried = new Set([...shown.flat(), ...named]);

const root = freshCheckout();
const home = { root };
const terminal = openTerminal(root);

const SMALL = `
task: probe
devices: cpu:2
agent:
  num_workers: 2
  stages: { stage1_max_iters: 3, stage2_max_iters: 2, stage3_max_iters: 1, stage4_max_iters: 1 }
  multi_seed_eval: { num_seeds: 1 }
exec: { heartbeat_timeout: 5s }
`;

afterAll(async () => {
  await terminal.close();
  await killServices(root);
  rmSync(dirname(root), { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** The one line of the README that begins so; it counts as tried from then on. */
function line(start: string): string {
  const [found, ...others] = [...new Set([...shown.flat(), ...named])].filter((text) => `${text} `.startsWith(`${start} `));
  if (found === undefined || others.length > 0) throw new Error(`README.md must have one line that begins: ${start}`);
  untried.delete(found);
  return found;
}

/** Types a line to its end; its exit code must be 0. */
async function enter(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, said } = await terminal.type(script, env).ended;
  expect(code, `${script}\n${said}`).toBe(0);
  return said;
}

const scientist = (rest: string): string => line(`npm run scientist -- ${rest}`);
const nodesOf = async (run: string): Promise<Extract<JournalEvent, { kind: 'node' }>[]> =>
  (await readEvents(home, run)).filter((event) => event.kind === 'node');

describe('the two commands', () => {
  test('npm start makes a run of real research through all four stages, with a report', async () => {
    // npm test is what runs this.
    line('npm test');
    const said = await enter(line('npm start'));
    expect(said).toMatch(/the run is complete: 4 of 4 stages/);
    const [run = '', ...others] = await listRuns(home);
    expect(others).toEqual([]);
    const nodes = await nodesOf(run);
    for (const stage of STAGE_NAMES)
      expect(
        nodes.some((event) => event.stage === stage && event.node.status === 'good'),
        stage,
      ).toBe(true);
    for (const path of [runPaths(home, run).reportHtml, runPaths(home, run).reportMarkdown]) expect(existsSync(path)).toBe(true);
  }, 900_000);

  test('every value of that run is what a results.jsonl file says', async () => {
    const [run = ''] = await listRuns(home);
    const records = (await readEvents(home, run)).flatMap((event) => ('evaluations' in event ? event.evaluations : []));
    const finished = records.flatMap(({ dataset, result }) =>
      result.status === 'finished' && result.value !== null ? [{ dataset, ...result }] : [],
    );
    expect(finished.length).toBeGreaterThan(10);
    for (const { dataset, value, evaluation, attempt } of finished) {
      const file = join(runPaths(home, run).attempt(evaluation, attempt), 'results.jsonl');
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      const results = lines.map((text) => ResultLine.parse(JSON.parse(text))).filter(({ step }) => step === undefined);
      expect(results).toEqual([{ metric: 'accuracy', dataset, value }]);
    }
  });
});

describe('things to try', () => {
  test('a run goes on after a kill of its workers, and is resumed after a kill of everything', async () => {
    writeFileSync(join(root, 'config', 'quick.yaml'), SMALL);
    rewrite(join(root, 'experiments', 'probe', 'task.yaml'), /(knob\.duration_ms: \{[^}]*default: )0/, '$1700');
    const kill = line('pkill');
    const run = terminal.type(scientist('run config/quick.yaml --run-id broken'));
    await run.saying(/ n1 +draft/);
    await enter(kill);
    const before = (await nodesOf('broken')).length;
    await until(async () => (await nodesOf('broken')).length > before);
    run.signal('SIGKILL');
    await enter(kill);
    await run.ended;
    expect(await enter(scientist('resume broken'))).toContain('the run is complete');
    const events = await readEvents(home, 'broken');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events.filter(({ kind }) => kind === 'stage_finished')).toHaveLength(STAGE_NAMES.length);
  }, 400_000);

  test('a run can be looked at, also when nothing runs', async () => {
    const of = (text: string): string => text.replace(/\bRUN\b/, 'broken');
    expect(await enter(scientist('status'))).toContain('broken');
    const journal = await enter(of(scientist('journal RUN')));
    const printed = JournalOutput.parse(JSON.parse(journal.slice(journal.indexOf('{'))));
    expect(printed.events).toEqual(await readEvents(home, 'broken'));
    expect(await enter(of(scientist('report RUN')))).toContain(`# Research run broken`);
    expect(await enter(scientist('--help'))).toContain('Exit codes:');
    expect(await enter(scientist('doctor'))).not.toContain('fix:');
  }, 120_000);

  test('keys of the config can be changed on the command line', async () => {
    const plan = await enter(scientist('run config/quick.yaml --dry-run'));
    expect(plan).toContain('at most 3 nodes');
    const before = await listRuns(home);
    const run = scientist('run config/quick.yaml --set');
    expect(await enter(run)).toContain('the run is complete');
    const [made = ''] = (await listRuns(home)).filter((id) => !before.includes(id));
    const sets = [...run.matchAll(/--set ([\w.]+)=(\S+)/g)].map(([, key = '', value = '']): [string, string] => [key, value]);
    expect(sets.length).toBeGreaterThan(1);
    expect((await loadRun(home, made)).config).toMatchObject(Object(withSets({}, Object.fromEntries(sets)).value));
  }, 300_000);

  test('with the services up, the block of temporal commands and a steering command work as they stand there', async () => {
    const up = terminal.type(scientist('up'));
    await up.saying(/Ctrl-C stops/);
    const block = shown.find((lines) => lines.some((text) => text.startsWith('temporal '))) ?? [];
    for (const text of block) untried.delete(text);
    // Another server may have the port that the command expects; `up` says then which one to name.
    const TEMPORAL_ADDRESS = (await readServerRecord(home))?.address ?? '';
    const exports = block.filter((line) => line.startsWith('export '));
    expect(exports).not.toEqual([]);
    for (const line of block.filter((other) => !exports.includes(other))) {
      // The server's list is behind by a moment.
      const isListed = (said: string): boolean => !line.includes(' list ') || /Running\s+digits-by-hand\s/.test(said);
      await until(async () => isListed(await enter(`set -ex\n${exports.join('\n')}\n${line}`, { TEMPORAL_ADDRESS })));
    }
    await until(() => existsSync(runPaths(home, 'digits-by-hand').reportMarkdown));

    const long = '--set agent.stages.stage1_max_iters=30 --set search.good_nodes=30';
    await enter(`npm run scientist -- run config/quick.yaml --run-id steered --detach ${long}`);
    await until(async () => (await nodesOf('steered')).some(({ node }) => node.status === 'good'));
    expect(await enter(scientist('pause RUN').replace('RUN', 'steered'))).toContain('pause was sent to steered');
    const good = (await nodesOf('steered')).find(({ node }) => node.status === 'good')?.node.id ?? '';
    const typed = (text: string): string =>
      scientist(text)
        .replace('RUN', 'steered')
        .replace(/\bn\d+\b/, good)
        .replace('model.depth', 'x');
    for (const text of ['pin RUN', 'add RUN', 'budget RUN']) expect(await enter(typed(text))).toContain('steered');
    const steered = async () => (await readEvents(home, 'steered')).filter(({ kind }) => kind === 'steered');
    await until(async () => (await steered()).length === 4);
    expect(await enter('npm run scientist -- stop --now steered')).toContain('stop was sent to steered');
    up.signal('SIGINT');
    await up.ended;
    expect(up.said()).toContain('stopping');
    await until(async () => !(await isHomeAlive(home)));
  }, 300_000);
});

test('no command of the README was left out', () => {
  expect([...untried]).toEqual([]);
});
