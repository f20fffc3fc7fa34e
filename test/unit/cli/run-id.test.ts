import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { CliFailure } from '../../../src/cli/failure-text.ts';
import { chooseRunId, nearest, parseRunId, unknownRun } from '../../../src/cli/run-id.ts';

const DAY = new Date(2026, 10, 9, 23, 59);

describe('chooseRunId', () => {
  it('names task, local day and the first free number', () => {
    expect(chooseRunId('digits', DAY, [])).toBe('digits-20261109-1');
    expect(chooseRunId('digits', DAY, ['digits-20261109-1', 'digits-20261109-2'])).toBe('digits-20261109-3');
  });

  it('fills a gap rather than counting on', () => {
    expect(chooseRunId('digits', DAY, ['digits-20261109-2'])).toBe('digits-20261109-1');
  });

  it('does not mind the runs of other tasks and days', () => {
    expect(chooseRunId('digits', DAY, ['probe-20261109-1', 'digits-20261108-1'])).toBe('digits-20261109-1');
  });
});

describe('parseRunId', () => {
  it.each(['../etc', 'A', '', 'a'.repeat(64), '-x', 'a b', 'run/stage'])('refuses %j as input, with the rule', (text) => {
    const refuse = () => parseRunId(text);
    expect(refuse).toThrow(CliFailure);
    expect(refuse).toThrow(/is not a run id/);
  });
});

describe('unknownRun', () => {
  it('names the three nearest ids', () => {
    const known = ['digits-20261129-1', 'digits-20261129-2', 'probe-20261129-1', 'other'];
    const failure = unknownRun('digits-20261129-12', known);
    expect(failure.exitCode).toBe(EXIT.input);
    expect(failure.fix).toContain('digits-20261129-1, digits-20261129-2, probe-20261129-1?');
    expect(failure.fix).not.toContain('other');
  });

  it('says how to make the first run when there is none', () => {
    expect(unknownRun('x', []).fix).toContain('scientist run');
  });

  it('orders equally near names alphabetically', () => {
    expect(nearest('b', ['c', 'a'])).toEqual(['a', 'c']);
  });
});
