import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LEGACY_KEYS, SHARED_KEYS } from '../../../src/domain/config-legacy.ts';
import { readConfig, type ConfigReading } from '../../../src/domain/config-reading.ts';
import { RunConfig } from '../../../src/domain/config.ts';

function read(raw: unknown): Extract<ConfigReading, { status: 'read' }> {
  const reading = readConfig(raw);
  if (reading.status === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading;
}

function problems(raw: unknown): string[] {
  const reading = readConfig(raw);
  return reading.status === 'read'
    ? []
    : reading.problems.map((problem) => `${problem.path.join('.')}: ${problem.what}; ${problem.fix}`);
}

/** An object with one value at a dotted key. */
function at(dotted: string, value: unknown): unknown {
  return dotted
    .split('.')
    .reverse()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value);
}

describe('a config of AI-Scientist-v2', () => {
  const original: unknown = parse(readFileSync(new URL('../../fixtures/configs/bfts_config.yaml', import.meta.url), 'utf8'));

  it('loads unchanged, with its own numbers in force', () => {
    const { config, fromAiScientist } = read(original);
    expect(fromAiScientist).toBe(true);
    expect(config).toEqual({
      ...RunConfig.parse({ agent: { steps: 5 }, data_dir: 'data' }),
      agent: { ...RunConfig.parse({}).agent, steps: 5 },
    });
  });

  it('has each key without effect listed, and no other', () => {
    const { ignoredKeys } = read(original);
    expect([...ignoredKeys].sort()).toEqual(
      [
        'agent.code.max_tokens',
        'agent.code.model',
        'agent.code.temp',
        'agent.data_preview',
        'agent.expose_prediction',
        'agent.feedback.max_tokens',
        'agent.feedback.model',
        'agent.feedback.temp',
        'agent.k_fold_validation',
        'agent.select_node.model',
        'agent.select_node.temp',
        'agent.summary',
        'agent.vlm_feedback.max_tokens',
        'agent.vlm_feedback.model',
        'agent.vlm_feedback.temp',
        'copy_data',
        'debug.stage4',
        'desc_file',
        'eval',
        'exec.agent_file_name',
        'exec.format_tb_ipython',
        'exp_name',
        'experiment.num_syn_datasets',
        'generate_report',
        'log_dir',
        'preprocess_data',
        'report.model',
        'report.temp',
        'workspace_dir',
      ].sort(),
    );
  });

  it('is told that digits is researched and that its steps have no effect', () => {
    expect(read(original).warnings).toEqual([
      expect.stringContaining('digits is researched (task: digits)'),
      expect.stringContaining('agent.steps has no effect: every stage has a limit of its own'),
    ]);
  });

  it.each([...LEGACY_KEYS.keys()])('may say anything under %s', (key) => {
    for (const value of [null, 1, 'x', [1], { a: { b: 1 } }, true]) expect(read(at(key, value)).ignoredKeys).toEqual([key]);
  });

  it.each([...SHARED_KEYS])('may leave %s empty, which means its default', (key) => {
    expect(read(at(key, null)).config).toEqual(RunConfig.parse({}));
  });

  it('has a legacy section that is no section ignored as a whole', () => {
    expect(read({ debug: true, agent: { code: 'gpt' } }).ignoredKeys).toEqual(['debug', 'agent.code']);
  });

  it('is not what a config without task and without its keys is', () => {
    expect(read({ agent: { num_workers: 2 } })).toMatchObject({ fromAiScientist: false, warnings: [] });
    expect(read({ task: 'digits', exp_name: 'run' })).toMatchObject({ fromAiScientist: false, warnings: [] });
  });
});

describe('readConfig', () => {
  it('takes an empty section as one without keys', () => {
    expect(read({ task: 'digits', agent: null, budget: null, report: null, exec: {} }).config).toEqual(RunConfig.parse({}));
  });

  it('names the nearest key for each that it does not know, in legacy sections too', () => {
    expect(problems({ agent: { num_workrs: 2, code: { modle: 'x' } }, tsk: 'digits' })).toEqual([
      'agent.num_workrs: this key is not known; the nearest known key is agent.num_workers',
      'agent.code.modle: this key is not known; the nearest known key is agent.code.model',
      'tsk: this key is not known; the nearest known key is task',
    ]);
  });

  it('finds unknown keys, wrong values and impossible combinations in one go', () => {
    const found = problems({ tsk: 1, agent: { num_workers: 'four' }, deterministic: true, schedule: 'async' });
    expect(found).toHaveLength(3);
    expect(found.join('\n')).toMatch(
      /tsk[^]*agent\.num_workers: expected a number, got the text "four"[^]*schedule: async depends on timing/,
    );
  });

  it('blames a key for its wrong value only, not for what the default in its place breaks', () => {
    expect(problems({ proposer: { kind: 'scripted', script: 5 } })).toEqual([
      expect.stringMatching(/^proposer\.script: expected/),
    ]);
  });

  it('leaves the options of a strategy to the strategy', () => {
    expect(read({ strategy: { name: 'x', options: { anything: [{ goes: null }] } } }).config.strategy.options).toEqual({
      anything: [{ goes: null }],
    });
  });

  it.each([
    [null, 'the file is empty'],
    [[1], 'expected keys with values'],
    ['text', 'expected keys with values'],
    [5, 'expected keys with values'],
    [{ agent: [] }, 'agent: expected a section'],
    [{ agent: 5 }, 'agent: expected a section'],
    [{ exec: { timeout: null }, task: null }, 'task: expected a text, got an empty value'],
    [{ server: { priority: 9 } }, 'server.priority: 9 is above the most allowed, 5'],
    [{ schedule: 'asynk' }, 'schedule: expected one of barrier, async, got the text "asynk"'],
    [{ search: { policy: 'x' } }, 'search.policy: expected best_first'],
    [{ report: { html: 'yes' } }, 'report.html: expected true or false'],
  ])('refuses %j: %s', (raw, words) => {
    expect(problems(raw).join('\n')).toContain(words);
  });

  it('does not follow a value that holds itself', () => {
    const loop: Record<string, unknown> = {};
    loop['strategy'] = { options: { loop } };
    expect(problems(loop)).toEqual([expect.stringContaining('nested more than 40 deep')]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses %s as it does any unknown key', (key) => {
    const raw: unknown = JSON.parse(`{"${key}": {"a": 1}, "agent": {"${key}": 1}}`);
    expect(problems(raw)).toHaveLength(2);
  });
});
