import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  hasCode,
  orNull,
  readJson,
  readJsonOrNull,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../../src/adapters/atomic-file.ts';
import { containing } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const Schema = z.strictObject({ number: z.number() });

describe('writeFileAtomic', () => {
  test('makes the folders above, and leaves nothing beside the file', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'c.txt');
    await writeFileAtomic(path, 'text');
    expect(readFileSync(path, 'utf8')).toBe('text');
    expect(readdirSync(join(path, '..'))).toEqual(['c.txt']);
  });

  test('never shows a reader half a file', async () => {
    const path = join(temporaryFolder(), 'file');
    const texts = ['a'.repeat(1 << 20), 'b'.repeat(1 << 20)];
    await writeFileAtomic(path, texts[0] ?? '');
    const read: string[] = [];
    for (let round = 0; round < 20; round++) {
      const writing = writeFileAtomic(path, texts[round % 2] ?? '');
      read.push(await readFile(path, 'utf8'), await readFile(path, 'utf8'));
      await writing;
    }
    expect(read.filter((text) => !texts.includes(text))).toEqual([]);
  });

  test('leaves the old file and no rest when it cannot be written', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'taken'));
    writeFileSync(join(folder, 'taken', 'inside'), '');
    await expect(writeFileAtomic(join(folder, 'taken'), 'text')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
    expect(existsSync(join(folder, 'taken', 'inside'))).toBe(true);
  });
});

describe('readJson', () => {
  test('reads what was written', async () => {
    const path = join(temporaryFolder(), 'x.json');
    await writeJsonAtomic(path, { number: 1 });
    expect(await readJson(path, Schema)).toEqual({ number: 1 });
  });

  test('a missing file is missing, with its path', async () => {
    const path = join(temporaryFolder(), 'x.json');
    await expect(readJson(path, Schema)).rejects.toMatchObject({
      type: 'ArtifactMissing',
      message: containing(path),
    });
    expect(await readJsonOrNull(path, Schema)).toBeNull();
  });

  test.each(['', '{"number": 1', '{"number": "1"}', '{"number": 1, "more": 2}'])(
    '%j is corrupt, with the place',
    async (text) => {
      const path = join(temporaryFolder(), 'x.json');
      writeFileSync(path, text);
      await expect(readJson(path, Schema)).rejects.toMatchObject({
        type: 'ArtifactCorrupt',
        message: containing(path),
      });
      expect(await readJsonOrNull(path, Schema)).toBeNull();
    },
  );

  test('a folder in its place is an error of the machine', async () => {
    await expect(readJson(temporaryFolder(), Schema)).rejects.toSatisfy((error) => hasCode(error, 'EISDIR'));
  });
});

test('orNull is null for what is not there, and for nothing else', async () => {
  const folder = temporaryFolder();
  expect(await orNull(readFile(join(folder, 'none')))).toBeNull();
  await expect(orNull(readFile(folder))).rejects.toThrow('EISDIR');
});
