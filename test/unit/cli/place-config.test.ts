import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig } from '../../../src/adapters/config-path.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { placeConfig } from '../../../src/cli/place-config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('placeConfig', () => {
  it('names a config of the project relative to it, wherever the command runs', async () => {
    const home = { root: temporaryFolder() };
    const own = join(home.root, 'mine');
    mkdirSync(own);
    writeFileSync(join(own, 'a.yaml'), 'task: probe\n');
    expect(await placeConfig(home, 'a.yaml', own)).toMatchObject({ name: 'mine/a.yaml', note: null });
    expect(await placeConfig(home, 'mine/a.yaml', '/')).toMatchObject({ name: 'mine/a.yaml', note: null });
  });

  it('finds the configs that come with the program', async () => {
    const home = { root: temporaryFolder() };
    const placed = await placeConfig(home, 'package.json', '/');
    expect(placed).toMatchObject({ path: join(PACKAGE_ROOT, 'package.json'), note: null });
    expect(await findConfig(home, placed.name)).toBe(placed.path);
  });

  it('does so for a project whose folder is not there yet', async () => {
    const home = { root: join(temporaryFolder(), 'new') };
    expect(await placeConfig(home, 'package.json', '/')).toMatchObject({ path: join(PACKAGE_ROOT, 'package.json'), note: null });
  });

  it('copies a config from outside into the project, once per content, and says so', async () => {
    const home = { root: temporaryFolder() };
    const outside = join(temporaryFolder(), 'b.yaml');
    writeFileSync(outside, 'task: probe\n');
    const placed = await placeConfig(home, outside);
    expect(placed.name).toMatch(/^\.scientist\/inputs\/[0-9a-f]{32}\.yaml$/);
    expect(placed.note).toContain(outside);
    expect(readFileSync(await findConfig(home, placed.name), 'utf8')).toBe('task: probe\n');
    expect((await placeConfig(home, outside)).name).toBe(placed.name);
    writeFileSync(outside, 'task: digits\n');
    expect((await placeConfig(home, outside)).name).not.toBe(placed.name);
  });

  it('copies what a link in the project points to outside of it', async () => {
    const home = { root: temporaryFolder() };
    const outside = join(temporaryFolder(), 'c.yaml');
    writeFileSync(outside, 'task: probe\n');
    symlinkSync(outside, join(home.root, 'c.yaml'));
    expect((await placeConfig(home, 'c.yaml', home.root)).name).toMatch(/^\.scientist\/inputs\//);
  });
});
