import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPart, readProgress, readResults } from '../../../src/adapters/results-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const linkTo = (target: string) => (path: string) => {
  symlinkSync(target, path);
};

const all = { from: 'start', maxBytes: 1000 } as const;

describe('readPart', () => {
  test('reads the start or the end of a file, and no more than allowed', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'abcdef');
    expect(await readPart(path, { from: 'start', maxBytes: 2 })).toBe('ab');
    expect(await readPart(path, { from: 'end', maxBytes: 2 })).toBe('ef');
    expect(await readPart(path, all)).toBe('abcdef');
  });

  test.each([
    ['nothing', () => undefined],
    [
      'a folder',
      (path: string) => {
        mkdirSync(path);
      },
    ],
    ['a link to a file', linkTo('/etc/hostname')],
    ['a link to nothing', linkTo('/nowhere')],
    ['a pipe that nobody writes to', (path: string) => void execFileSync('mkfifo', [path])],
    ['a device', linkTo('/dev/zero')],
  ])('is null for %s', async (_, make) => {
    const path = join(temporaryFolder(), 'results.jsonl');
    make(path);
    expect(await readPart(path, all)).toBeNull();
    expect(await readResults(path, 1000)).toEqual({ progress: [], finals: [], malformed: 0 });
  });
});

test('readProgress follows a file that grows, also past what is looked at', async () => {
  const path = join(temporaryFolder(), 'results.jsonl');
  const what = { metric: 'score', dataset: 'a' };
  expect(await readProgress(path, what)).toBeNull();
  for (const step of [0, 2000, 4000]) {
    const lines = Array.from({ length: 2000 }, (_, index) => JSON.stringify({ ...what, value: 0.5, step: step + index }));
    appendFileSync(path, `${lines.join('\n')}\n`);
    expect(await readProgress(path, what)).toEqual({ value: 0.5, step: step + 1999 });
  }
});
