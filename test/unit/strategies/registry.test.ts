import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { bindStrategy, STRATEGIES } from '../../../src/strategies/registry.ts';

const source = readdirSync(join(PACKAGE_ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: relative(PACKAGE_ROOT, path), text: readFileSync(path, 'utf8') }));

describe('the strategies', () => {
  test('are bound by name', () => {
    for (const { name } of STRATEGIES) expect(bindStrategy(name, {}).name).toBe(name);
  });

  test('have names of their own in snake_case and say what they do in one line', () => {
    const names = STRATEGIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(STRATEGIES.filter(({ about }) => about.length < 10 || about.length > 200 || about.includes('\n'))).toEqual([]);
  });

  test('are refused by an unknown name with those that there are', () => {
    expect(() => bindStrategy('round_robin', {})).toThrow(
      expect.objectContaining({
        type: 'StrategyRefused',
        message: 'there is no strategy named round_robin',
        fix: expect.stringContaining('in_order'),
      }),
    );
  });

  test('are refused with options that do not fit, and it is said which', () => {
    expect(() => bindStrategy('in_order', { shards: 2 })).toThrow(
      expect.objectContaining({
        type: 'StrategyRefused',
        message: 'the options of strategy in_order do not fit: options: Unrecognized key: "shards"',
      }),
    );
    expect(() => bindStrategy('in_order', 'fast')).toThrow(/options: Invalid input/);
  });

  test.each(STRATEGIES.map(({ name }) => name))(
    'need one file and one line: %s is named nowhere else but as a default of the config',
    (name) => {
      const naming = source.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ path }) => path);
      const own = source.filter(({ path, text }) => path.startsWith('src/strategies/') && text.includes(`name: '${name}'`));
      expect(own).toHaveLength(1);
      expect(naming.filter((path) => path !== 'src/domain/config.ts')).toEqual(own.map(({ path }) => path));
      const file = own[0]?.path.replace('src/strategies/', './') ?? '';
      const imports = source.filter(
        ({ text }) => text.includes(`from '${file}'`) || text.includes(`/strategies/${file.slice(2)}'`),
      );
      expect(imports.map(({ path }) => path)).toEqual(['src/strategies/registry.ts']);
    },
  );
});
