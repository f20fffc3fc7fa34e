import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pythonPath } from '../../../src/adapters/project.ts';
import { pythonEnvironment } from '../../../src/adapters/python-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A program that stands where a Python should. */
function program(script: string): string {
  const path = join(temporaryFolder(), 'python');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const refusal = (words: string) =>
  expect.objectContaining({
    type: 'HostFailed',
    message: expect.stringContaining(words) as string,
    fix: expect.stringContaining('npm run setup') as string,
  }) as unknown;

describe('pythonEnvironment', () => {
  it('gives version and packages of the project’s Python, the same each time', async () => {
    const environment = await pythonEnvironment(pythonPath());
    expect(environment).toMatchObject({
      python: pythonPath(),
      pythonVersion: expect.stringMatching(/^3\.\d+\.\d+/) as string,
      packages: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    expect(await pythonEnvironment(pythonPath())).toEqual(environment);
  });

  it('changes its hash when a package comes, goes or changes its version', async () => {
    const folder = temporaryFolder();
    execFileSync(pythonPath(), ['-m', 'venv', '--without-pip', folder]);
    const python = join(folder, 'bin', 'python');
    const site = execFileSync(python, ['-I', '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'], {
      encoding: 'utf8',
    }).trim();
    const hashes = [(await pythonEnvironment(python)).packages];
    mkdirSync(join(site, 'one-1.0.dist-info'));
    hashes.push((await pythonEnvironment(python)).packages);
    mkdirSync(join(site, 'one-1.1.dist-info'));
    hashes.push((await pythonEnvironment(python)).packages);
    mkdirSync(join(site, 'no-package'));
    expect(new Set(hashes).size).toBe(3);
    expect((await pythonEnvironment(python)).packages).toBe(hashes[2]);
  });

  it('says that there is none', async () => {
    await expect(pythonEnvironment('/nowhere/python')).rejects.toThrow(refusal('there is no such file'));
    await expect(pythonEnvironment(temporaryFolder())).rejects.toThrow(refusal('may not be executed'));
  });

  it('says that it is too old', async () => {
    const python = program(`echo '{"version": "3.10.14", "implementation": "cpython", "folders": []}'`);
    await expect(pythonEnvironment(python)).rejects.toThrow(refusal('is 3.10.14; experiments need 3.11 or newer'));
  });

  it('says what a broken one says', async () => {
    await expect(pythonEnvironment(program('echo "no module named encodings" >&2; exit 1'))).rejects.toThrow(
      refusal('no module named encodings'),
    );
    await expect(pythonEnvironment(program('echo hello'))).rejects.toThrow(refusal('does not answer as a Python would'));
    await expect(pythonEnvironment(program('echo "{}"'))).rejects.toThrow(refusal('does not answer as a Python would'));
  });
});
