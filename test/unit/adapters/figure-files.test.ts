import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFigures } from '../../../src/adapters/figure-files.ts';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { temporaryHome } from '../../support/stored-run.ts';

const FOLDER = 'evaluations/abc/attempts/1.1/out';
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

async function homeWith(files: Readonly<Record<string, Buffer | string>>): Promise<{ home: Home; out: string }> {
  const home = await temporaryHome();
  const out = join(runPaths(home, 'run-1').root, FOLDER);
  await mkdir(out, { recursive: true });
  for (const [name, data] of Object.entries(files)) await writeFile(join(out, name), data);
  return { home, out };
}

describe('the figures of a folder', () => {
  it('are its PNG and SVG files by name, with their bytes as an address', async () => {
    const { home } = await homeWith({ 'b.svg': '<svg/>', 'a.PNG': PNG, 'notes.txt': 'x', 'c.html': '<script>' });
    expect((await readFigures(home, 'run-1', [FOLDER])).get(FOLDER)).toEqual([
      { name: 'a.PNG', href: `${FOLDER}/a.PNG`, dataUri: `data:image/png;base64,${PNG.toString('base64')}` },
      {
        name: 'b.svg',
        href: `${FOLDER}/b.svg`,
        dataUri: `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`,
      },
    ]);
  });

  it('are none where the folder is missing', async () => {
    const home = await temporaryHome();
    expect(await readFigures(home, 'run-1', [FOLDER])).toEqual(new Map([[FOLDER, []]]));
  });

  it('are linked rather than put into the page when they are large, alone or together', async () => {
    const { home } = await homeWith({ 'large.png': Buffer.alloc(256 * 1024 + 1), 'small.png': PNG });
    const [large, small] = (await readFigures(home, 'run-1', [FOLDER])).get(FOLDER) ?? [];
    expect([large?.dataUri, small?.dataUri?.slice(0, 15)]).toEqual([null, 'data:image/png;']);
    const folders = Array.from({ length: 4 }, (_, index) => `${FOLDER}-${index}`);
    for (const folder of folders) {
      await mkdir(join(runPaths(home, 'run-1').root, folder), { recursive: true });
      for (let i = 0; i < 10; i++)
        await writeFile(join(runPaths(home, 'run-1').root, folder, `${i}.png`), Buffer.alloc(200 * 1024));
    }
    const all = [...(await readFigures(home, 'run-1', folders)).values()].flat();
    const inPage = all.filter(({ dataUri }) => dataUri !== null).length;
    expect(all).toHaveLength(40);
    expect(inPage).toBe(Math.floor((6 * 1024) / 200));
  });

  it('are a dozen per folder at most', async () => {
    const { home } = await homeWith(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index + 10}.png`, PNG])));
    expect((await readFigures(home, 'run-1', [FOLDER])).get(FOLDER)?.map(({ name }) => name)).toEqual(
      Array.from({ length: 12 }, (_, index) => `${index + 10}.png`),
    );
  });

  it('never follow a link, neither of a file nor of the folder', async () => {
    const { home, out } = await homeWith({ 'a.png': PNG });
    await writeFile(join(home.root, 'secret.png'), 'secret');
    await symlink(join(home.root, 'secret.png'), join(out, 'link.png'));
    await symlink(home.root, join(runPaths(home, 'run-1').root, 'out-link'));
    const found = await readFigures(home, 'run-1', [FOLDER, 'out-link']);
    expect(found.get(FOLDER)?.map(({ name }) => name)).toEqual(['a.png']);
    expect(found.get('out-link')).toEqual([]);
  });

  it('leave out what cannot be read, and do not wait for a pipe', async () => {
    const { home, out } = await homeWith({ 'a.png': PNG });
    execFileSync('mkfifo', [join(out, 'pipe.png')]);
    await mkdir(join(out, 'folder.png'));
    expect((await readFigures(home, 'run-1', [FOLDER])).get(FOLDER)?.map(({ name }) => name)).toEqual(['a.png']);
    await chmod(join(out, 'a.png'), 0);
    const isRoot = process.getuid?.() === 0;
    expect((await readFigures(home, 'run-1', [FOLDER])).get(FOLDER)).toHaveLength(isRoot ? 1 : 0);
  });

  it('have links that survive any name', async () => {
    const name = 'a b](x)"<>%20#?.png';
    const { home } = await homeWith({ [name]: PNG });
    const [figure] = (await readFigures(home, 'run-1', [FOLDER])).get(FOLDER) ?? [];
    expect(figure?.href).toMatch(/^[\w./%-]+$/);
    expect(decodeURIComponent(figure?.href ?? '')).toBe(`${FOLDER}/${name}`);
  });
});
