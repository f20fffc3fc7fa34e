import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DoctorOutput } from '../../../src/cli/json-output.ts';
import { sayWith } from '../../support/cli-in-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function checks(env: NodeJS.ProcessEnv, home = temporaryFolder()): Promise<{ code: number; output: DoctorOutput }> {
  const { code, out } = await sayWith(env, home, 'doctor', '--json');
  return { code, output: DoctorOutput.parse(JSON.parse(out.join('\n'))) };
}

const problems = ({ checks: all }: DoctorOutput) => all.filter(({ ok }) => !ok).map(({ name }) => name);

describe('doctor', () => {
  it('finds nothing missing where set-up has run', async () => {
    const { code, output } = await checks({});
    expect(problems(output)).toEqual([]);
    expect(code).toBe(0);
    expect(output.checks.map(({ name }) => name)).toContain('disk space');
  });

  it('exits with 3 when Python is missing, and says what to do', async () => {
    const { code, output } = await checks({ SCIENTIST_PYTHON: '/nowhere/python' });
    expect(code).toBe(3);
    expect(problems(output)).toEqual(['python', 'python packages']);
    expect(output.checks.find(({ name }) => name === 'python')?.fix).toContain('npm run setup');
  });

  it('exits with 3 when the temporal binary is missing', async () => {
    const { code, output } = await checks({ SCIENTIST_TEMPORAL: '/nowhere/temporal' });
    expect(code).toBe(3);
    expect(problems(output)).toEqual(['temporal']);
  });

  it('sees that the database is of another server version', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.scientist'));
    writeFileSync(join(home, '.scientist', 'temporal.db.version'), '0.0.1\n');
    expect(problems((await checks({}, home)).output)).toEqual(['server database']);
  });

  it('sees that nothing can be written', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, '.scientist'), 'a file where a folder must be');
    const { code, output } = await checks({}, home);
    expect(code).toBe(3);
    expect(problems(output)).toContain('write permission');
  });

  it('prints a fix below each problem', async () => {
    const { out } = await sayWith({ SCIENTIST_TEMPORAL: '/nowhere/temporal' }, temporaryFolder(), 'doctor');
    const at = out.findIndex((line) => /^problem +temporal/.test(line));
    expect(out[at + 1]).toMatch(/^ +fix: /);
  });
});
