import { describe, expect, test } from 'vitest';
import { cleanLines, keptLines } from '../../../../src/cli/text/clean-text.ts';
import type { Removal } from '../../../../src/domain/retention.ts';

const attempt = (number: number): Removal => ({
  part: 'attempts',
  run: 'one',
  evaluation: 'e',
  attempt: `1.${number}`,
  bytes: 1024,
});
const shown = (removal: Removal): string => ('attempt' in removal ? `path-${removal.attempt}` : removal.part);
const wish = { parts: [], runs: [], olderThanMs: 0 };

describe('a dry run', () => {
  test('without flags has a line for each part with the command that removes it, and no paths', () => {
    const removals: Removal[] = [attempt(1), attempt(2), { part: 'runs', run: 'one', bytes: 4096 }];
    const lines = cleanLines({ removals, kept: [] }, { wish, flags: [], shown });
    expect(lines[0]).toMatch(/^attempts .* 2 +2\.0 KiB +scientist clean --attempts --yes$/);
    expect(lines[1]).toMatch(/^whole runs .* 1 +4\.0 KiB +scientist clean --runs --yes$/);
    expect(lines.join('\n')).not.toContain('path-');
    expect(lines.at(-1)).toContain('nothing was changed');
  });

  test('with a flag lists the paths, and the same command with --yes', () => {
    const lines = cleanLines(
      { removals: [attempt(1)], kept: [] },
      { wish: { ...wish, runs: ['one'] }, flags: ['--attempts'], shown },
    );
    expect(lines).toContain('  path-1.1  1.0 KiB');
    expect(lines.at(-1)).toBe('nothing was changed; to remove 1 thing: scientist clean one --attempts --yes');
  });

  test('does not list hundreds of paths', () => {
    const removals = Array.from({ length: 500 }, (_, number) => attempt(number));
    const lines = cleanLines({ removals, kept: [] }, { wish, flags: ['--attempts'], shown });
    expect(lines.length).toBeLessThan(30);
    expect(lines).toContain('  and 480 more');
  });

  test('says so when there is nothing', () => {
    expect(cleanLines({ removals: [], kept: [] }, { wish, flags: [], shown })).toEqual(['there is nothing to remove']);
  });
});

test('which runs are left alone is said with the reason, and that no server could be asked', () => {
  const kept = [{ run: 'one', why: 'it is not over' }];
  expect(keptLines(kept, true)).toEqual(['one is left alone: it is not over']);
  expect(keptLines(kept, false)[0]).toContain('only runs with a report count as over');
});
