import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { CliFailure, describeFailure } from '../../../src/cli/failure-text.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';

describe('describeFailure', () => {
  it('says what happened and what to do in two lines', () => {
    const failure = new PlatformFailure('ConfigInvalid', 'agent.num_workers: expected a number', 'correct it');
    expect(describeFailure(failure, {})).toEqual({
      lines: ['error: agent.num_workers: expected a number', 'fix: correct it'],
      exitCode: EXIT.input,
    });
  });

  it('keeps the exit code of a failure of the command itself', () => {
    expect(describeFailure(new CliFailure(EXIT.environment, 'no server', 'start one'), {}).exitCode).toBe(3);
  });

  it.each(['ENOSPC', 'EACCES', 'EROFS'])('says what to do about %s of the machine', (code) => {
    const { lines, exitCode } = describeFailure(Object.assign(new Error(`${code}: write`), { code }), {});
    expect(exitCode).toBe(EXIT.environment);
    expect(lines[1]).not.toContain('SCIENTIST_DEBUG');
  });

  it('calls anything else unexpected, with exit code 1 and no stack', () => {
    const { lines, exitCode } = describeFailure(new TypeError('x is not a function'), {});
    expect(exitCode).toBe(EXIT.internal);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('error: unexpected: TypeError: x is not a function');
    expect(lines.join('\n')).not.toContain('.ts:');
  });

  it('shows the stack to those who ask for it', () => {
    const { lines } = describeFailure(new TypeError('x'), { SCIENTIST_DEBUG: '1' });
    expect(lines.at(-1)).toContain('failure-text.test.ts');
  });

  it('copes with things that are no errors', () => {
    expect(describeFailure('gone', {}).lines[0]).toBe('error: unexpected: gone');
  });
});
