import { mkdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { getArtifact, getExperiment, putArtifact, putExperiment, refOf } from '../../../src/adapters/artifact-store.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { Experiment } from '../../../src/domain/experiment.ts';
import { containing } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const store = () => ({ home: { root: temporaryFolder() }, run: 'r' });

test('bytes come back under their address, whatever they are', async () => {
  const { home, run } = store();
  const bytes = Buffer.from([0, 255, 10, 13]);
  const ref = await putArtifact(home, run, bytes);
  expect(ref).toBe(refOf(bytes));
  expect(await getArtifact(home, run, ref)).toEqual(bytes);
});

test('equal bytes are stored once', async () => {
  const { home, run } = store();
  const ref = await putArtifact(home, run, 'text');
  const { ino } = statSync(runPaths(home, run).artifact(ref));
  expect(await putArtifact(home, run, 'text')).toBe(ref);
  expect(statSync(runPaths(home, run).artifact(ref)).ino).toBe(ino);
});

test('damage is noticed, and mended by storing the bytes again', async () => {
  const { home, run } = store();
  const ref = await putArtifact(home, run, 'text');
  writeFileSync(runPaths(home, run).artifact(ref), 'texT');
  await expect(getArtifact(home, run, ref)).rejects.toMatchObject({ type: 'ArtifactCorrupt' });
  await putArtifact(home, run, 'text');
  expect((await getArtifact(home, run, ref)).toString()).toBe('text');
});

test('what is gone is missing, with its path', async () => {
  const { home, run } = store();
  const ref = await putArtifact(home, run, 'text');
  const path = runPaths(home, run).artifact(ref);
  unlinkSync(path);
  await expect(getArtifact(home, run, ref)).rejects.toMatchObject({
    type: 'ArtifactMissing',
    message: containing(path),
  });
});

test('equal experiments have equal refs, whatever the order of their keys', async () => {
  const { home, run } = store();
  const a = Experiment.parse({ v: 1, parameters: { x: 1, y: 'b' }, files: {} });
  const b = Experiment.parse({ v: 1, parameters: { y: 'b', x: 1 }, files: {} });
  expect(await putExperiment(home, run, a)).toBe(await putExperiment(home, run, b));
  expect(await getExperiment(home, run, await putExperiment(home, run, a))).toEqual(a);
});

test.each(['no JSON', '{"v": 2}', '[]'])('an artifact with the text %j is no experiment', async (text) => {
  const { home, run } = store();
  const ref = await putArtifact(home, run, text);
  await expect(getExperiment(home, run, ref)).rejects.toMatchObject({ type: 'ArtifactCorrupt' });
});

test('a folder in the place of an artifact is an error of the machine', async () => {
  const { home, run } = store();
  const path = runPaths(home, run).artifact(refOf('text'));
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path);
  await expect(putArtifact(home, run, 'text')).rejects.toThrow('EISDIR');
});
