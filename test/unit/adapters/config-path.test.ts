import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig, fromProject } from '../../../src/adapters/config-path.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A project with a config, and a file outside of it. */
function project(): { home: { root: string }; outside: string } {
  const folder = realpathSync(temporaryFolder());
  const root = join(folder, 'project');
  mkdirSync(join(root, 'config'), { recursive: true });
  writeFileSync(join(root, 'config', 'mine.yaml'), 'task: digits');
  const outside = join(folder, 'outside.yaml');
  writeFileSync(outside, 'task: digits');
  return { home: { root }, outside };
}

const refusal = expect.objectContaining({
  type: 'ConfigInvalid',
  message: expect.stringContaining('lies outside the project') as string,
}) as unknown;

describe('findConfig', () => {
  it('finds a config of the project, by relative and by absolute path', async () => {
    const { home } = project();
    const path = join(home.root, 'config', 'mine.yaml');
    expect(await findConfig(home, 'config/mine.yaml')).toBe(path);
    expect(await findConfig(home, path)).toBe(path);
    expect(await findConfig(home, 'config/../config/mine.yaml')).toBe(path);
  });

  it('falls back to the configs that come with the program, the project’s own first', async () => {
    const { home } = project();
    expect(await findConfig(home, 'config/quick.yaml')).toBe(join(PACKAGE_ROOT, 'config', 'quick.yaml'));
    writeFileSync(join(home.root, 'config', 'quick.yaml'), 'task: digits');
    expect(await findConfig(home, 'config/quick.yaml')).toBe(join(home.root, 'config', 'quick.yaml'));
  });

  it('gives the path in the project for a file that is not there, so that reading it says so', async () => {
    const { home } = project();
    expect(await findConfig(home, 'config/none.yaml')).toBe(join(home.root, 'config', 'none.yaml'));
  });

  it.each(['../outside.yaml', '../none.yaml', '/etc/passwd', '/none.yaml', '..', '.', '', 'config/../../outside.yaml'])(
    'refuses %j',
    async (path) => {
      await expect(findConfig(project().home, path)).rejects.toThrow(refusal);
    },
  );

  it('refuses a link that leads out, and follows one that stays', async () => {
    const { home, outside } = project();
    symlinkSync(outside, join(home.root, 'config', 'out.yaml'));
    symlinkSync(join(home.root, 'config', 'mine.yaml'), join(home.root, 'config', 'in.yaml'));
    symlinkSync(join(home.root, '..'), join(home.root, 'up'));
    await expect(findConfig(home, 'config/out.yaml')).rejects.toThrow(refusal);
    await expect(findConfig(home, 'up/outside.yaml')).rejects.toThrow(refusal);
    expect(await findConfig(home, 'config/in.yaml')).toBe(join(home.root, 'config', 'mine.yaml'));
  });

  it('works in a project that is itself reached through a link', async () => {
    const { home } = project();
    const link = join(home.root, '..', 'link');
    symlinkSync(home.root, link);
    expect(await findConfig({ root: link }, 'config/mine.yaml')).toBe(join(home.root, 'config', 'mine.yaml'));
    expect(await findConfig({ root: link }, join(home.root, 'config', 'mine.yaml'))).toBe(join(home.root, 'config', 'mine.yaml'));
  });
});

describe('fromProject', () => {
  it('counts relative paths from the project and leaves absolute ones', () => {
    expect(fromProject({ root: '/p' }, 'data')).toBe('/p/data');
    expect(fromProject({ root: '/p' }, '/data')).toBe('/data');
  });
});
