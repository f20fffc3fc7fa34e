import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT, projectHome, pythonPath, temporalPath } from '../../../src/adapters/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function record(root: string, text: string): void {
  mkdirSync(join(root, '.scientist'), { recursive: true });
  writeFileSync(join(root, '.scientist', 'setup.json'), text);
}

describe('the temporal binary', () => {
  test('is the one of the environment before any other', () => {
    const root = temporaryFolder();
    record(root, JSON.stringify({ temporal: process.execPath }));
    expect(temporalPath({ SCIENTIST_TEMPORAL: '/somewhere/temporal' }, root)).toBe('/somewhere/temporal');
  });

  test('is the one that set-up recorded, as long as it is there', () => {
    const root = temporaryFolder();
    record(root, JSON.stringify({ temporal: process.execPath, version: '1', bytes: 1 }));
    expect(temporalPath({}, root)).toBe(process.execPath);
    record(root, JSON.stringify({ temporal: join(root, 'gone') }));
    expect(temporalPath({}, root)).toBe(join(root, '.scientist', 'venv', 'bin', 'temporal'));
  });

  test.each(['', '{"temporal": 5}', '{"version": "1"}'])('is where set-up puts its own when the record is %j', (text) => {
    const root = temporaryFolder();
    record(root, text);
    expect(temporalPath({}, root)).toBe(join(root, '.scientist', 'venv', 'bin', 'temporal'));
  });
});

test('the home is the folder of the program unless SCIENTIST_HOME names another', () => {
  expect(projectHome({})).toEqual({ root: PACKAGE_ROOT });
  expect(projectHome({ SCIENTIST_HOME: '/data/./research' })).toEqual({ root: '/data/research' });
});

test("the Python is set-up's own unless SCIENTIST_PYTHON names another", () => {
  expect(pythonPath({})).toBe(join(PACKAGE_ROOT, '.scientist', 'venv', 'bin', 'python'));
  expect(pythonPath({ SCIENTIST_PYTHON: '/usr/bin/python3' })).toBe('/usr/bin/python3');
});
