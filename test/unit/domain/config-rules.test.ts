import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../../src/domain/config-rules.ts';
import { RunConfig } from '../../../src/domain/config.ts';

const broken = (config: Record<string, unknown>) => brokenRules(RunConfig.parse(config)).map((problem) => problem.path.join('.'));

describe('brokenRules', () => {
  it('has nothing against the defaults', () => {
    expect(broken({})).toEqual([]);
  });

  it('refuses the async schedule where equal runs must give equal journals', () => {
    expect(broken({ deterministic: true, schedule: 'async' })).toEqual(['schedule']);
    expect(broken({ deterministic: true, schedule: 'barrier' })).toEqual([]);
    expect(broken({ deterministic: false, schedule: 'async' })).toEqual([]);
  });

  it('refuses a scripted proposer without a script', () => {
    expect(broken({ proposer: { kind: 'scripted' } })).toEqual(['proposer.script']);
    expect(broken({ proposer: { kind: 'scripted', script: 'a.yaml' } })).toEqual([]);
  });

  it('refuses a heartbeat time-out that healthy workers would miss', () => {
    expect(broken({ exec: { heartbeat_timeout: '2.9s' } })).toEqual(['exec.heartbeat_timeout']);
    expect(broken({ exec: { heartbeat_timeout: '3s' } })).toEqual([]);
  });

  it('says for each what to write instead', () => {
    const problems = brokenRules(RunConfig.parse({ deterministic: true, schedule: 'async', proposer: { kind: 'scripted' } }));
    for (const { what, fix } of problems) expect([what, fix].every((text) => text.length > 10)).toBe(true);
  });
});
