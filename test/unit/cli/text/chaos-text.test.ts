import { describe, expect, test } from 'vitest';
import { endLines, planLines, strikeLine, type ChaosEnd } from '../../../../src/cli/text/chaos-text.ts';
import { planSteps, type Strike } from '../../../../src/workers/faults/campaign.ts';
import { PROCESS_FAULTS } from '../../../../src/workers/faults/process-faults.ts';

const strike: Strike = { fault: 'server', wanted: null, seen: ['running'], events: 7, at: 5000, hits: ['SIGKILL server (12)'] };
const end: ChaosEnd = {
  strikes: [strike, { ...strike, hits: [] }],
  recoveries: [2500, null],
  audit: { started: 4, finished: 3, lost: [], doubled: [], overlaps: [], open: [] },
  isOver: true,
};

describe('the text of scientist chaos', () => {
  test('shows a plan with one line for each fault', () => {
    const lines = planLines(planSteps({ seed: 1, kills: 4, faults: PROCESS_FAULTS, maxDelayMs: 100, holdMs: 1 }));
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^1 {2}\w+ +(after|at) \S+ +\S/);
  });

  test('tells what was hit, when, and where the run was; or that there was nothing to hit', () => {
    expect(strikeLine(strike, 1000).trim()).toBe('4.0 s  server: SIGKILL server (12) (7 events, running)');
    expect(strikeLine({ ...strike, hits: [], seen: [] }, 1000).trim()).toBe('4.0 s  server: nothing to hit (7 events)');
  });

  test('ends with what was lost and doubled, and how soon work went on', () => {
    const text = endLines(end).join('\n');
    expect(text).toMatch(/^faults +1 of 2 found something to hit$/m);
    expect(text).toMatch(/^lost +0$/m);
    expect(text).toMatch(/^doubled +0$/m);
    expect(text).toMatch(/^recovery +next evaluation after 2\.5 s/m);
  });

  test('names what was lost, and says when the run is not over', () => {
    const audit = { ...end.audit, lost: [{ how: 'given_up' as const, evaluation: 'abc' }] };
    const text = endLines({ ...end, audit, isOver: false, recoveries: [null, null] }).join('\n');
    expect(text).toMatch(/^lost +1 so far; the run goes on\n +given_up: abc$/m);
    expect(text).toContain('no evaluation was started after a fault');
  });
});
