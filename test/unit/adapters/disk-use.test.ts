import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesIn, runDiskUse } from '../../../src/adapters/disk-use.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { EvaluationId, Ref } from '../../../src/domain/ids.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KIB = 1024;
const id = EvaluationId.parse('a'.repeat(32));
const write = (path: string, kib: number): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x'.repeat(kib * KIB));
};

test('each part of a run gets what lies in its folders', async () => {
  const home = { root: temporaryFolder() };
  const paths = runPaths(home, 'one');
  write(join(paths.attempt(id, '1.1'), 'output.log'), 64);
  write(join(paths.checkpoint(id), 'epoch'), 128);
  write(paths.artifact(Ref.parse('b'.repeat(32))), 256);
  write(paths.event(0), 32);
  write(join(paths.reruns, '1', 'evaluations', 'x'), 96);
  write(paths.reportMarkdown, 16);
  const { parts, bytes, complete } = await runDiskUse(home, 'one', 1000);
  expect(complete).toBe(true);
  const sizes = { attempts: 64, checkpoints: 128, artifacts: 256, journal: 32, reruns: 96, other: 16 };
  for (const [part, kib] of Object.entries(sizes)) {
    const found = parts[part as keyof typeof parts];
    expect(found, part).toBeGreaterThanOrEqual(kib * KIB);
    expect(found, part).toBeLessThan((kib + 64) * KIB);
  }
  expect(bytes).toBe(Object.values(parts).reduce((sum, part) => sum + part, 0));
});

test('links count as themselves, so that nothing outside is counted and no circle is walked', async () => {
  const root = temporaryFolder();
  const outside = join(temporaryFolder(), 'large');
  write(outside, 1000);
  mkdirSync(join(root, 'in'), { recursive: true });
  symlinkSync(outside, join(root, 'in', 'out'));
  symlinkSync(root, join(root, 'in', 'circle'));
  expect(await bytesIn(root)).toBeLessThan(64 * KIB);
});

test('it looks at no more than it may, and says that it is not all', async () => {
  const home = { root: temporaryFolder() };
  for (let number = 0; number < 300; number++) write(runPaths(home, 'one').event(number), 1);
  const [some, all] = [await runDiskUse(home, 'one', 100), await runDiskUse(home, 'one', 1000)];
  expect([some.complete, all.complete]).toEqual([false, true]);
  expect(some.bytes).toBeLessThan(all.bytes);
});

test('what is not there takes nothing', async () => {
  expect(await bytesIn(join(temporaryFolder(), 'no', 'such'))).toBe(0);
  expect((await runDiskUse({ root: temporaryFolder() }, 'none', 10)).bytes).toBe(0);
});
