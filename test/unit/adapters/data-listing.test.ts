import { copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataListingHash } from '../../../src/adapters/data-listing.ts';
import { containing } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A folder with a file in a sub-folder; each call makes another, because a listing is remembered for a while. */
function folder(change: (path: string) => void = () => undefined): string {
  const path = temporaryFolder();
  mkdirSync(join(path, 'deep'));
  writeFileSync(join(path, 'deep', 'data.csv'), '1,2');
  writeFileSync(join(path, 'more.csv'), '3');
  for (const name of ['deep/data.csv', 'more.csv']) utimesSync(join(path, name), 1000, 1000);
  change(path);
  return path;
}

test('no folder has no hash', async () => {
  expect(await dataListingHash(null)).toBeNull();
});

test('folders that hold the same have one hash, wherever they lie', async () => {
  expect(await dataListingHash(folder())).toBe(await dataListingHash(folder()));
});

test.each<[string, (path: string) => void]>([
  ['a larger file', (path) => writeFileSync(join(path, 'more.csv'), '33')],
  ['a later time', (path) => utimesSync(join(path, 'deep', 'data.csv'), 1000, 2000)],
  ['another file', (path) => copyFileSync(join(path, 'more.csv'), join(path, 'deep', 'more.csv'))],
])('%s changes the hash', async (_, change) => {
  expect(await dataListingHash(folder(change))).not.toBe(await dataListingHash(folder()));
});

test('a link that leads back in does not hang it', async () => {
  const path = folder((at) => symlinkSync('..', join(at, 'deep', 'loop')));
  expect(await dataListingHash(path)).toMatch(/^[0-9a-f]{64}$/);
});

test('a folder that is gone is missing, with what to do', async () => {
  await expect(dataListingHash('/nowhere/data')).rejects.toMatchObject({
    type: 'ArtifactMissing',
    fix: containing('data_dir'),
  });
});
