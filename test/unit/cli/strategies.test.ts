import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../../src/strategies/registry.ts';
import { say } from '../../support/cli-in-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GOOD = `
export const first = (workers: number, round: number, keys: string[]) => keys.slice(0, workers).map((key, worker) => ({ worker, keys: [key] }));
`;
const LATE = `
export const late = {
  name: 'late',
  about: 'hands out a key twice when it is told to',
  initial: () => ({}),
  plan: (options, state, { free, keys, inFlight }) => {
    const open = keys.filter((key) => !inFlight.includes(key));
    return { state, units: free.map((worker, index) => ({ worker, keys: open.slice(options.twice ? 0 : index, index + 1) })) };
  },
};
`;

function file(text: string, name = 'mine.ts'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const check = (...argv: string[]) => say(temporaryFolder(), 'strategies', 'check', ...argv);

describe('scientist strategies', () => {
  it('lists each with its stages, what it does, and its options with their defaults', async () => {
    const { code, out } = await say(temporaryFolder(), 'strategies');
    expect(code).toBe(0);
    const named = out.filter((line) => !line.startsWith(' '));
    expect(named.map((line) => line.split(' ', 1)[0])).toEqual(STRATEGIES.map(({ name }) => name));
    expect(named.find((line) => line.startsWith('tensor_parallel'))).toMatch(/ {2}stages 1, 2, 3 {2,}component keys in sections/);
    expect(out.find((line) => line.startsWith('  sampler'))).toMatch(/default "round_robin" {2}the order of the items/);
  });
});

describe('scientist strategies check', () => {
  it('prints each check, and ends with 0 for a strategy that keeps the contract', async () => {
    const { code, out, err } = await check(file(GOOD));
    expect(code, err.join('\n')).toBe(0);
    expect(out.length).toBeGreaterThan(8);
    expect(out.filter((line) => !line.startsWith('ok      '))).toEqual([]);
  });

  it('prints a counterexample in one line, with 2, and checks with the options that it is given', async () => {
    const path = file(LATE);
    expect((await check(path)).code).toBe(0);
    const { code, out } = await check(path, '--options', '{"twice": true}');
    expect(code).toBe(2);
    expect(out.find((line) => line.startsWith('failed  hands out what was offered'))).toMatch(
      /a key was handed out twice; given \{"nWorkers":3,/,
    );
  });

  it('asks which export is meant when there are several', async () => {
    const path = file(GOOD + LATE);
    const unclear = await check(path);
    expect(unclear.code).toBe(2);
    expect(unclear.err.join('\n')).toMatch(/mine\.ts exports first, late\nfix: say which is the strategy: --export NAME/);
    expect((await check(path, '--export', 'first')).code).toBe(0);
  });

  it.each<[string, () => string[], RegExp]>([
    ['a file that is not there', () => ['nothing.ts'], /nothing\.ts is not there/],
    ['a module that imports', () => [file("import fs from 'node:fs';")], /imports node:fs/],
    ['options that are no JSON', () => [file(GOOD), '--options', 'twice'], /--options twice cannot be read/],
    ['an export that is not there', () => [file(GOOD), '--export', 'second'], /has no export second; it exports: first/],
    ['an unknown option', () => [file(GOOD), '--exports', 'x'], /scientist strategies check --help/],
  ])('refuses %s with 2', async (_, argv, words) => {
    const { code, err } = await check(...argv());
    expect(code).toBe(2);
    expect(err.join('\n')).toMatch(words);
  });
});
