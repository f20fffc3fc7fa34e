import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keptModules, type StrategyPlace } from '../../../src/adapters/own-strategies.ts';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import { bundledElsewhere } from '../../../src/workers/bundling.ts';
import { openLog } from '../../../src/workers/log.ts';
import { admitStrategy, ownStrategies } from '../../../src/workers/own-strategies.ts';
import { bundlePath } from '../../../src/workers/workflow-bundle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const BLOCKS =
  'export const mine = (workers, round, keys) => keys.slice(0, workers).map((key, worker) => ({ worker, keys: [key] }));\n';
const place = (module: string): StrategyPlace => ({ name: 'mine', module, export: 'mine' });

function project(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder();
  mkdirSync(join(root, '.scientist', 'logs'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const said: string[] = [];
  return { home: { root }, said, admission: { home: { root }, log: (text: string) => void said.push(text) } };
}

describe('a project takes in a strategy', () => {
  test('once, with the workflow code that has it; then it is known by its name, in the config too', async () => {
    const { home, said, admission } = project({ 'mine.mjs': `// ${randomUUID()}\n${BLOCKS}` });
    const { name, hash } = await admitStrategy(admission, place('mine.mjs'));
    expect(name).toBe(`own:${String(hash)}:mine`);
    expect(bindStrategy(name, {}).name).toBe(name);
    const kept = await keptModules(home);
    const { codePath, isThere } = await bundlePath(kept);
    expect(isThere).toBe(true);
    expect(codePath).not.toBe((await bundlePath()).codePath);
    expect(readFileSync(codePath, 'utf8')).toContain(`registerOwn)('${String(hash)}'`);
    expect(said).not.toEqual([]);
    said.length = 0;
    expect(await admitStrategy(admission, place('mine.mjs'))).toEqual({ name, hash });
    expect(await admitStrategy(admission, { name })).toEqual({ name, hash });
    expect(await admitStrategy(admission, { name: 'in_order', module: null })).toEqual({ name: 'in_order', hash: null });
    expect(said).toEqual([]);
  });

  test('only if it can be part of the workflow code; one that cannot is not kept', async () => {
    // Its quote in a pattern hides the import from who reads the words only.
    const hidden = `const quote = /\`/;\nexport const read = () => require('fs');\n// \`\nexport const mine = () => [];\n`;
    const { home, admission } = project({ 'mine.ts': hidden });
    await expect(admitStrategy(admission, place('mine.ts'))).rejects.toMatchObject({
      type: 'StrategyRefused',
      message: expect.stringMatching(/^the workflow code cannot be bundled: .*'fs'/),
    });
    expect(await keptModules(home)).toEqual([]);
  });

  test.each([
    ['export const other = 1;', /mine\.mjs has no export mine; it exports: other$/],
    ["export const mine = { name: 'x', about: 'y', initial: () => 1 };", /mine\.mjs: export mine has no `plan`/],
  ])('only if it is one: %s', async (text, message) => {
    const { home, admission } = project({ 'mine.mjs': text });
    const refused = { type: 'StrategyRefused', message: expect.stringMatching(message) };
    await expect(admitStrategy(admission, place('mine.mjs'))).rejects.toMatchObject(refused);
    expect(await keptModules(home)).toEqual([]);
  });

  test('by its name only if it was taken in before', async () => {
    await expect(admitStrategy(project({}).admission, { name: 'own:0123456789abcdef:x' })).rejects.toMatchObject({
      type: 'StrategyRefused',
      message: 'this project has no strategy own:0123456789abcdef:x',
    });
  });
});

describe('a control worker', () => {
  test('that lacks a strategy says so in a way that is tried again, and ends to start again with it', async () => {
    const { home } = project({ 'mine.mjs': BLOCKS });
    const log = openLog(home, 'control');
    await bundledElsewhere([], () => undefined);
    const before = await ownStrategies(home, log);
    expect(before.codePath).toBe((await bundlePath()).codePath);
    const watching = before.watch.run();
    const lacking: unknown = await before.nameOf(place('mine.mjs')).catch((error: unknown) => error);
    expect(lacking).toMatchObject({
      type: 'HostFailed',
      retryable: true,
      message: 'The worker does not have the strategy mine.mjs yet.',
    });
    await watching;
    const after = await ownStrategies(home, log);
    expect(after.codePath).toBe((await bundlePath(await keptModules(home))).codePath);
    expect(await after.nameOf(place('mine.mjs'))).toMatch(/^own:[0-9a-f]{16}:mine$/);
    const looking = after.watch.run();
    after.watch.shutdown();
    await looking;
  });

  test('goes on without the strategies when its code cannot be made with them', async () => {
    const { home } = project({});
    const folder = join(home.root, '.scientist', 'strategies');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '0123456789abcdef.ts'), "import 'fs';\n");
    const { codePath } = await ownStrategies(home, openLog(home, 'control'));
    expect(codePath).toBe((await bundlePath()).codePath);
    expect(readFileSync(join(home.root, '.scientist', 'logs', 'control.log'), 'utf8')).toContain(
      'going on without the strategies',
    );
  });
});
