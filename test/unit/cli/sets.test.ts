import { describe, expect, it } from 'vitest';
import { CliFailure } from '../../../src/cli/failure-text.ts';
import { collectSet } from '../../../src/cli/sets.ts';

describe('collectSet', () => {
  it('adds changes one after the other; the later one of a key wins', () => {
    const one = collectSet('agent.num_workers=2', {});
    const two = collectSet('task=probe', one);
    expect(collectSet('agent.num_workers=3', two)).toEqual({ 'agent.num_workers': '3', task: 'probe' });
  });

  it('leaves what comes after the first equals sign as it is', () => {
    expect(collectSet('goal=a = b\nc', {})).toEqual({ goal: 'a = b\nc' });
    expect(collectSet('goal=', {})).toEqual({ goal: '' });
  });

  it.each(['agent.num_workers', '=2', 'a..b=1', 'a.b.=1', 'a b=1'])('refuses %j and shows the form', (change) => {
    expect(() => collectSet(change, {})).toThrow(CliFailure);
  });
});
