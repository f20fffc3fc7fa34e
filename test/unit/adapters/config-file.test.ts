import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/adapters/config-file.ts';
import type { ConfigSets } from '../../../src/adapters/config-sets.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { RunConfig } from '../../../src/domain/config.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function write(text: string): string {
  const path = join(temporaryFolder(), 'my.yaml');
  writeFileSync(path, text);
  return path;
}

/** The lines of the refusal, with the file's path as `FILE`. */
async function refusal(text: string, sets: ConfigSets = {}): Promise<string[]> {
  const path = write(text);
  const error: unknown = await loadConfig(path, sets).catch((failure: unknown) => failure);
  if (!(error instanceof PlatformFailure)) throw new Error('it was not refused');
  expect(error.type).toBe('ConfigInvalid');
  expect(error.fix).toContain('config/full.yaml');
  return error.message.replaceAll(path, 'FILE').split('\n');
}

describe('loadConfig', () => {
  it('has every problem on a line of its own: place, key, what is wrong, what helps', async () => {
    expect(await refusal('task: digits\nagent:\n  num_workrs: 2\n  type: both\nexec: {timeout: soon}\nworkers: 2\n')).toEqual([
      'FILE:3:3 agent.num_workrs: this key is not known; the nearest known key is agent.num_workers',
      'FILE:4:9 agent.type: expected one of parallel, sequential, got the text "both"; it is: sequential = one worker (default "parallel")',
      expect.stringMatching(
        /^FILE:5:17 exec\.timeout: expected a duration .*got the text "soon"; it is: run time of one evaluation, at most \(default "1h"\)$/,
      ),
      'FILE:6:1 workers: this key is not known; the nearest known key is agent.num_workers',
    ]);
  });

  it('names the flag, not the file, for a change that is wrong', async () => {
    expect(await refusal('task: digits\nseed: -1\n', { 'agent.num_workers': '0', 'foo.bar': '1', 'task.x': '1' })).toEqual([
      expect.stringMatching(/^FILE:2:7 seed: -1 is below the least allowed, 0/),
      expect.stringMatching(/^--set task\.x: what stands above this key/),
      '--set foo: this key is not known; the nearest known key is goal',
      expect.stringMatching(/^--set agent\.num_workers: 0 is below the least allowed, 1/),
    ]);
  });

  it('makes changes, and keeps the text of the file', async () => {
    const text = '# mine\nagent: {num_workers: 2}\n';
    const loaded = await loadConfig(write(text), { 'agent.num_workers': '3', schedule: 'async', 'exec.timeout': 90 });
    expect(loaded.config).toMatchObject({ agent: { num_workers: 3 }, schedule: 'async', exec: { timeout: 90_000 } });
    expect(loaded.text).toBe(text);
  });

  it('lets a change mend what the file has wrong', async () => {
    expect((await loadConfig(write('seed: -1'), { seed: '5' })).config.seed).toBe(5);
  });

  it.each([
    ['', 'FILE:1:1 the file is empty; write at least: task: digits'],
    ['# only a comment\n', 'FILE:1:1 the file is empty'],
    ['- a\n- b\n', 'FILE:1:1 expected keys with values'],
    ['just words', 'FILE:1:1 expected keys with values'],
    ['strategy: {options: &a {again: *a}}', 'FILE:1:1 values are nested more than 40 deep'],
    ['deterministic: true\nschedule: async\n', 'FILE:2:11 schedule: async depends on timing'],
    ['proposer: {kind: scripted}\n', 'FILE:1:1 proposer.script: proposer.kind: scripted needs a script'],
  ])('refuses %j in one line', async (text, line) => {
    const lines = await refusal(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
  });

  it('takes an empty file when changes say what is wanted', async () => {
    expect((await loadConfig(write(''), { task: 'digits' })).config).toEqual(RunConfig.parse({}));
  });

  it('loads the config that is shown as an example of AI-Scientist-v2', async () => {
    const path = join(temporaryFolder(), 'bfts_config.yaml');
    cpSync(join(PACKAGE_ROOT, 'test', 'fixtures', 'configs', 'bfts_config.yaml'), path);
    const loaded = await loadConfig(path);
    expect(loaded).toMatchObject({ fromAiScientist: true, config: { task: 'digits', exec: { timeout: 3_600_000 } } });
    expect(loaded.ignoredKeys.length).toBeGreaterThan(25);
  });

  it('loads the shipped configs without a warning', async () => {
    for (const name of ['quick.yaml', 'full.yaml']) {
      expect(await loadConfig(join(PACKAGE_ROOT, 'config', name))).toMatchObject({
        warnings: [],
        ignoredKeys: [],
        fromAiScientist: false,
      });
    }
  });
});
