import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDataFolder } from '../../../src/adapters/data-folder.ts';
import { RunConfig } from '../../../src/domain/config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const loaded = (data_dir: string | null, fromAiScientist = false) => ({ config: RunConfig.parse({ data_dir }), fromAiScientist });

describe('findDataFolder', () => {
  it('is none when none is named', async () => {
    expect(await findDataFolder({ root: '/nowhere' }, loaded(null))).toEqual({ dataDir: null, warnings: [] });
  });

  it('is found relative to the project, and anywhere by an absolute path', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'my-data'));
    const there = { dataDir: join(root, 'my-data'), warnings: [] };
    expect(await findDataFolder({ root }, loaded('my-data'))).toEqual(there);
    expect(await findDataFolder({ root: '/nowhere' }, loaded(join(root, 'my-data')))).toEqual(there);
  });

  it('is refused when it is missing or a file', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'file'), '');
    for (const name of ['none', 'file', 'data']) {
      await expect(findDataFolder({ root }, loaded(name))).rejects.toThrow(
        expect.objectContaining({ type: 'ConfigInvalid', message: `data_dir: there is no folder ${join(root, name)}` }),
      );
    }
  });

  it('of AI-Scientist-v2’s own file is left out with a warning where nobody made it', async () => {
    const root = temporaryFolder();
    expect(await findDataFolder({ root }, loaded('data', true))).toEqual({
      dataDir: null,
      warnings: [expect.stringContaining('data_dir has no effect')],
    });
    await expect(findDataFolder({ root }, loaded('elsewhere', true))).rejects.toThrow('there is no folder');
    mkdirSync(join(root, 'data'));
    expect(await findDataFolder({ root }, loaded('data', true))).toEqual({ dataDir: join(root, 'data'), warnings: [] });
  });

  it.skipIf(process.getuid?.() === 0)('is refused when it may not be read', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'secret'));
    chmodSync(join(root, 'secret'), 0);
    await expect(findDataFolder({ root }, loaded('secret'))).rejects.toThrow('no permission to read it');
  });
});
