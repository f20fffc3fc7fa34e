import { describe, expect, it } from 'vitest';
import { EXIT, EXIT_MEANING, exitCodeLines, exitCodeOf } from '../../../src/cli/exit-codes.ts';
import { PlatformFailureType } from '../../../src/domain/failure.ts';

describe('exit codes', () => {
  it('are frozen, since scripts branch on them', () => {
    expect(EXIT).toEqual({ done: 0, internal: 1, input: 2, environment: 3, noGoodNode: 4, interrupted: 130 });
  });

  it('give every platform failure a code that is no success', () => {
    for (const type of PlatformFailureType.options) expect([1, 2, 3]).toContain(exitCodeOf(type));
  });

  it('tell input from environment', () => {
    expect(exitCodeOf('ConfigInvalid')).toBe(EXIT.input);
    expect(exitCodeOf('StrategyRefused')).toBe(EXIT.input);
    expect(exitCodeOf('NoDevice')).toBe(EXIT.environment);
    expect(exitCodeOf('HostFailed')).toBe(EXIT.environment);
    expect(exitCodeOf('InvariantBroken')).toBe(EXIT.internal);
  });

  it('are all explained in the help', () => {
    const lines = exitCodeLines();
    expect(lines).toHaveLength(Object.keys(EXIT).length);
    for (const code of Object.values(EXIT))
      expect(lines.some((line) => line.includes(`${code}  ${EXIT_MEANING[code]}`))).toBe(true);
  });
});
