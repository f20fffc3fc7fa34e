import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  keepModule,
  keptModules,
  loadModule,
  readModule,
  readProjectModule,
  withCopy,
  withStrategyNames,
} from '../../../src/adapters/own-strategies.ts';
import { readConfig } from '../../../src/domain/config-reading.ts';
import { RunConfig } from '../../../src/domain/config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const refusal = (message: RegExp): unknown =>
  expect.objectContaining({ type: 'StrategyRefused', message: expect.stringMatching(message) });

function project(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return { root };
}

describe('the module of a strategy', () => {
  test('is kept once under the hash of its bytes, whatever the file is called or becomes', async () => {
    const home = project({ 'a.ts': 'export const a = 1;\n', 'b.ts': 'export const a = 1;\n' });
    expect(await keptModules(home)).toEqual([]);
    const [first, second] = await Promise.all(['a.ts', 'b.ts'].map((name) => readProjectModule(home, name)));
    if (first === undefined || second === undefined) throw new Error('not read');
    const stored = await keepModule(home, first);
    writeFileSync(join(home.root, 'a.ts'), 'export const a = 2;\n');
    await keepModule(home, second);
    expect(await keptModules(home)).toEqual([stored]);
    expect(stored.path).toMatch(/\.scientist\/strategies\/[0-9a-f]{16}\.ts$/);
    expect(readFileSync(stored.path, 'utf8')).toBe('export const a = 1;\n');
    await keepModule(home, await readProjectModule(home, 'a.ts'));
    expect(await keptModules(home)).toHaveLength(2);
    expect(readdirSync(join(home.root, '.scientist', 'strategies'))).toContain('package.json');
  });

  test('of the program is found from any project, and none outside of both', async () => {
    const home = project({});
    expect(await readProjectModule(home, 'strategies/block-parallel.ts')).toMatchObject({ extension: '.ts' });
    const outside = project({ 'x.ts': 'export const a = 1;\n' });
    await expect(readProjectModule(home, join(outside.root, 'x.ts'))).rejects.toEqual(refusal(/x\.ts lies outside the project/));
  });

  test.each([
    ['nothing.ts', 'export const a = 1;', 'there.ts', /^there\.ts is not there$/],
    ['a.py', 'a = 1', 'a.py', /^a\.py is no \.ts, \.js, \.mjs file$/],
    ['a.ts', `// ${'x'.repeat(300_000)}`, 'a.ts', /^a\.ts has 300003 bytes, 262144 at most$/],
    ['a.ts', "import fs from 'node:fs';", 'a.ts', /^a\.ts imports node:fs: a strategy is one file/],
  ])('%s is refused by its name and what is wrong', async (name, text, asked, message) => {
    await expect(readProjectModule(project({ [name]: text }), asked)).rejects.toEqual(refusal(message));
  });

  test.each([
    ['export const = 1;', /^x\.ts cannot be loaded: ./],
    ["throw new Error('at once');\nexport const a = 1;", /^x\.ts cannot be loaded: Error: at once$/],
  ])('that is no program, or throws, is refused: %s', async (text, message) => {
    const source = await readModule(join(project({ 'x.mjs': text }).root, 'x.mjs'), 'x.ts');
    await expect(withCopy(source, ({ path }) => loadModule(path, 'x.ts'))).rejects.toEqual(refusal(message));
  });

  test('is loaded as often as is wanted, each time with variables of its own', async () => {
    const text = 'let calls = 0;\nexport const next = () => ++calls;\n';
    const source = await readModule(join(project({ 'x.mjs': text }).root, 'x.mjs'), 'x.mjs');
    const counts = await withCopy(source, async ({ path }) => {
      const loaded = await Promise.all([0, 0, 1].map((instance) => loadModule(path, 'x.mjs', instance)));
      return loaded.map(({ next }) => Reflect.apply(next as () => number, null, []));
    });
    expect(counts).toEqual([1, 2, 1]);
  });
});

describe('a config', () => {
  const strategy = {
    name: 'mine',
    module: 'a.ts',
    export: 'a',
    options: { n: 1 },
    stages: { baseline_tuning: { name: 'yours', module: 'b.ts', export: 'b' }, ablation_studies: { name: 'in_order' } },
  };

  test('has its strategies by the names that the registry knows, and nothing of where they were', async () => {
    const config = RunConfig.parse({ strategy });
    const named = await withStrategyNames(config, ({ name, module }) => Promise.resolve(module ? `own:${module}` : name));
    expect(named).toEqual({
      ...config,
      strategy: {
        name: 'own:a.ts',
        module: null,
        export: null,
        options: { n: 1 },
        stages: { baseline_tuning: { name: 'own:b.ts', options: {} }, ablation_studies: { name: 'in_order', options: {} } },
      },
    });
  });

  test.each([
    { module: 'a.ts' },
    { module: 'a.ts', export: 'a b' },
    { stages: { baseline_tuning: { name: 'x', module: 'b.ts' } } },
  ])('is refused where a module has no export that can be one: %j', (part) => {
    const reading = readConfig({ strategy: part });
    const paths = reading.status === 'refused' ? reading.problems.map(({ path }) => path.join('.')) : [];
    expect(paths).toEqual(['stages' in part ? 'strategy.stages.baseline_tuning.export' : 'strategy.export']);
  });
});
