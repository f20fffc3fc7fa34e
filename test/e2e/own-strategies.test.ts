import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { signalProcess } from '../../src/adapters/process-identity.ts';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';
import { loadRun, readEvents } from '../../src/adapters/run-store.ts';
import { STAGE_NAMES } from '../../src/domain/ids.ts';
import { livingWorkers } from '../../src/workers/records.ts';
import { killServices, newHome, removeHome, runCommand, startUp, temporal, TINIEST_CONFIG } from '../support/cli.ts';
import { freshCheckout } from '../support/fresh-checkout.ts';
import { until } from '../support/gate.ts';
import { readDocument, shellLines, type Block } from '../support/markdown.ts';
import { openTerminal, rewrite } from '../support/shell.ts';

/** Strategies of users: docs/strategies.md as it stands there, and what it says of them in real runs. */

const page = readDocument('docs/strategies.md');
const block = (language: string, word: string): Block => {
  const found = page.blocks.filter((candidate) => candidate.language === language && candidate.text.includes(word));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`docs/strategies.md must have one ${language} block with ${word}`);
  return only;
};
const lines = page.blocks.filter(({ language }) => language === 'sh').flatMap(shellLines);
const kept = (root: string): string[] =>
  readdirSync(join(root, '.scientist', 'strategies')).filter((name) => name !== 'package.json');

describe('the page about strategies', () => {
  const root = freshCheckout();
  const home = { root };
  const terminal = openTerminal(root);
  const file = join(root, 'strategies', 'block-parallel.ts');

  afterAll(async () => {
    await terminal.close();
    await killServices(root);
    rmSync(dirname(root), { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  test('shows the example as it is in the project', () => {
    const text = readFileSync(join(PACKAGE_ROOT, 'strategies', 'block-parallel.ts'), 'utf8');
    expect(block('ts', 'blockParallel').text).toBe(text.trimEnd());
    mkdirSync(dirname(file));
    writeFileSync(file, text);
  });

  test('has a check that both of its examples pass', async () => {
    const [check = ''] = lines;
    const { code, said } = await terminal.type(check).ended;
    expect(code, said).toBe(0);
    expect(said.match(/^ok {6}/gm)?.length).toBeGreaterThan(8);
    writeFileSync(join(root, 'strategies', 'warm.ts'), block('ts', 'warmFamilies').text);
    const [options = ''] = page.codes.filter((code_) => code_.startsWith('--options'));
    const [exported = ''] = page.codes.filter((code_) => code_.startsWith('--export'));
    const warm = `${check.replace('block-parallel', 'warm')} ${options} ${exported}`;
    const checked = await terminal.type(warm).ended;
    expect(checked.code, checked.said).toBe(0);
  }, 60_000);

  test('has a run by it, which goes on with it after its control worker was killed and the file is another', async () => {
    const small = '  stages: { stage1_max_iters: 8, stage2_max_iters: 2, stage3_max_iters: 2, stage4_max_iters: 1 }\n';
    const config = block('yaml', 'block_parallel').text.replace('task: digits', 'task: probe');
    writeFileSync(
      join(root, 'config', 'blocks.yaml'),
      `${config.replace('agent:\n', `agent:\n${small}`)}\nsearch: { good_nodes: 8 }\n`,
    );
    rewrite(join(root, 'experiments', 'probe', 'task.yaml'), /(knob\.duration_ms: \{[^}]*default: )0/, '$1700');
    expect(lines).toHaveLength(2);
    const run = terminal.type(lines[1] ?? '');
    await run.saying(/ n1 +draft/);
    writeFileSync(file, 'export const blockParallel = 5;\n');
    const [name = '', ...others] = kept(root);
    expect(others).toEqual([]);
    const own = `own:${name.replace('.ts', '')}:blockParallel`;
    const steered = await terminal.type(`npm run scientist -- strategy blocks ${own}`).ended;
    expect(steered.said).toContain(`the strategy is ${own} from the next plan on`);
    for (const { role, identity } of await livingWorkers(home))
      if (role.startsWith('control')) signalProcess(identity, 'SIGKILL');
    const { code, said } = await run.ended;
    expect(code, said).toBe(0);
    expect(said).toContain('the run is complete');
    const { plan, config: asked } = await loadRun(home, 'blocks');
    expect(plan.strategy).toEqual({ name: own, options: {} });
    expect(asked.strategy).toMatchObject({
      name: 'block_parallel',
      module: 'strategies/block-parallel.ts',
      export: 'blockParallel',
    });
    const events = await readEvents(home, 'blocks');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const made = events.flatMap((event) => (event.kind === 'node' ? [event.node.id] : []));
    expect(new Set(made).size).toBe(made.length);
    expect(events.filter(({ kind }) => kind === 'stage_finished')).toHaveLength(STAGE_NAMES.length);
  }, 300_000);

  test('has a check that says what is wrong, with exit code 2', async () => {
    const { code, said } = await terminal.type(`${lines[0] ?? ''} --export blockParallel`).ended;
    expect(code, said).toBe(2);
    expect(said).toContain('export blockParallel is a number: expected an object or a function');
    const refused = await terminal.type((lines[1] ?? '').replace('--run-id blocks', '--run-id refused')).ended;
    expect(refused.code, refused.said).toBe(2);
    expect(refused.said).toContain('strategies/block-parallel.ts: export blockParallel is a number');
    expect(kept(root)).toHaveLength(1);
  }, 60_000);
});

describe('with a control worker that runs already', () => {
  const own = (module: string): string =>
    `${TINIEST_CONFIG}server: {on_stage_failure: fail}\nstrategy: {name: mine, module: ${module}, export: mine}\n`;
  const root = newHome(own('mine.ts'));
  const home = { root };
  afterAll(() => removeHome(root));

  test('a run that was started without the command is resolved by a worker that started again with its strategy', async () => {
    const text = readFileSync(join(PACKAGE_ROOT, 'strategies', 'block-parallel.ts'), 'utf8');
    writeFileSync(join(root, 'mine.ts'), text.replace('blockParallel', 'mine'));
    const up = await startUp(root, 'cpu:2');
    const controls = async () => (await livingWorkers(home)).filter(({ role }) => role.startsWith('control'));
    const [before] = await controls();
    const start = ['workflow', 'start', '--type', 'research', '--task-queue', 'research', '--workflow-id', 'by-hand'];
    const started = await temporal(root, ...start, '--input', '{"config": "config.yaml"}');
    expect(started.code, started.out).toBe(0);
    await until(
      async () =>
        (await readEvents(home, 'by-hand').catch(() => [])).filter(({ kind }) => kind === 'stage_finished').length === 4,
    );
    expect((await loadRun(home, 'by-hand')).plan.strategy.name).toBe(`own:${(kept(root)[0] ?? '').replace('.ts', '')}:mine`);
    const [after] = await controls();
    expect(after?.identity.pid).not.toBe(before?.identity.pid);

    // One that passes every check, and breaks in the run, ends the run with the reason; it does not hang.
    writeFileSync(
      join(root, 'late.ts'),
      text
        .replace('blockParallel', 'mine')
        .replace('const size', "if (keys.some((key) => key.startsWith('tune'))) throw new Error('no tuning');\n  const size"),
    );
    writeFileSync(join(root, 'late.yaml'), own('late.ts'));
    const late = await runCommand(root, 'run', 'late.yaml', '--run-id', 'late');
    expect(late.code, late.out + late.err).toBe(2);
    expect(late.out + late.err).toMatch(/own:[0-9a-f]{16}:mine, export mine: `plan` threw Error: no tuning/);
    expect(kept(root)).toHaveLength(2);
    up.signal('SIGINT');
    await up.ended;
  }, 400_000);
});
