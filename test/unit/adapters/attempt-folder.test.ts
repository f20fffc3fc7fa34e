import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptPaths, figureNames, makeAttemptFolder, removeTemporary } from '../../../src/adapters/attempt-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = { files: new Map([['train.py', Buffer.from('pass')]]), parameters: { x: 1 } };

test('holds the program and its parameters, and nothing of an earlier attempt', async () => {
  const root = join(temporaryFolder(), 'attempts', '1.1');
  await makeAttemptFolder(root, program);
  writeFileSync(join(root, 'exit.json'), '{}');
  const paths = await makeAttemptFolder(root, program);
  expect(readdirSync(root).sort()).toEqual(['out', 'work']);
  expect(readdirSync(paths.work).sort()).toEqual(['parameters.json', 'train.py']);
  expect(readFileSync(join(`${root}.old-1`, 'exit.json'), 'utf8')).toBe('{}');
  await makeAttemptFolder(root, program);
  expect(existsSync(`${root}.old-2`)).toBe(true);
  await removeTemporary(paths);
});

test('its temporary folder is its own, short enough for a socket, and empty whatever lay there', async () => {
  const root = join(temporaryFolder(), 'attempts', '1.1');
  const { temporary } = attemptPaths(root);
  mkdirSync(join(temporary, 'old'), { recursive: true });
  await makeAttemptFolder(root, program);
  expect(readdirSync(temporary)).toEqual([]);
  expect(statSync(temporary).mode & 0o77).toBe(0);
  expect(temporary.length).toBeLessThan(60);
  expect(attemptPaths(`${root}2`).temporary).not.toBe(temporary);
  await removeTemporary(attemptPaths(root));
  expect(existsSync(temporary)).toBe(false);
});

test('figures are PNG and SVG files, sorted; no folders, no links', async () => {
  const out = temporaryFolder();
  for (const name of ['b.svg', 'a.PNG', 'notes.txt', 'png']) writeFileSync(join(out, name), '');
  mkdirSync(join(out, 'c.png'));
  symlinkSync('a.PNG', join(out, 'd.png'));
  expect(await figureNames(out)).toEqual(['a.PNG', 'b.svg']);
  expect(await figureNames(join(out, 'nowhere'))).toEqual([]);
});
