import { describe, expect, it } from 'vitest';
import { exitCodeOfEnding, type Ending } from '../../../../src/cli/follow/ending.ts';
import { bestText, endingLines } from '../../../../src/cli/text/ending-text.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { noOutcomes, type ResearchResult } from '../../../../src/domain/messages.ts';
import { good, landed, progressOf, replica, RUN, STAGE, started } from '../../../support/cli-fixtures.ts';

const PLACES = {
  runId: RUN,
  report: 'runs/r/report.md',
  program: 'runs/r/best/',
  journal: 'runs/r/journal.json',
  history: 'npm run scientist -- up',
};
const best = good(1, 0.97);
const progress = progressOf([
  started(0),
  landed(1, best),
  replica(2, nodeId(1), 0.96),
  replica(3, nodeId(1), 0.98),
  replica(4, nodeId(1), 0.97),
]);

function finished(change: Partial<ResearchResult> = {}): Ending {
  const stage = {
    stage: STAGE,
    reason: 'good_nodes' as const,
    text: 'enough',
    best,
    outcomes: { ...noOutcomes(), good: 3, buggy: 1 },
  };
  return {
    kind: 'finished',
    result: { runId: RUN, outcome: 'completed', best, stages: [stage], report: 'runs/r/report.md', ...change },
  };
}

describe('endingLines', () => {
  it('says outcome, best node with interval, and where report, program, journal and history are', () => {
    const text = endingLines(finished(), progress, PLACES).join('\n');
    expect(text).toContain('the run is complete: 1 of 4 stages, 3 good nodes, 1 buggy node');
    expect(text).toContain('n1 accuracy 0.9700 (draft knn); on 3 fresh seeds: mean 0.9700, 95 % interval [0.9452, 0.9948]');
    for (const place of Object.values(PLACES).slice(1)) expect(text).toContain(place);
  });

  it('says that nothing good was found, and names no program', () => {
    const ending = finished({ outcome: 'no_good_node', best: null });
    expect(endingLines(ending, progress, PLACES).join('\n')).toMatch(/without a good node/);
    expect(endingLines(ending, progress, PLACES).join('\n')).not.toContain('best');
    expect(exitCodeOfEnding(ending)).toBe(4);
  });

  it('says why a run failed, what to do, and exits by the type of the failure', () => {
    const ending: Ending = { kind: 'failed', type: 'ConfigInvalid', message: 'agent.steps: expected a number', fix: null };
    expect(endingLines(ending, null, PLACES).slice(1, 3)).toEqual([
      `error: run ${RUN} failed: agent.steps: expected a number`,
      expect.stringMatching(/^fix: /),
    ]);
    expect(exitCodeOfEnding(ending)).toBe(2);
    expect(exitCodeOfEnding({ ...ending, type: null })).toBe(1);
  });

  it('says of a run that is parked why, and names the commands with run and stage in them', () => {
    const ending: Ending = { kind: 'parked', stage: STAGE, why: 'the last 3 nodes failed: no run.json' };
    const lines = endingLines(ending, progress, { ...PLACES, report: null });
    expect(lines.slice(1, 4)).toEqual([
      `error: run ${RUN} needs attention: stage ${STAGE} failed: the last 3 nodes failed: no run.json`,
      `fix: mend the cause, then: scientist retry ${RUN} ${STAGE}`,
      expect.stringContaining(`scientist skip ${RUN} ${STAGE}, or scientist stop ${RUN}`),
    ]);
    expect(lines.at(-1)).toContain(PLACES.history);
    expect(exitCodeOfEnding(ending)).toBe(1);
  });

  it('says how to go on with a run that was left', () => {
    expect(endingLines({ kind: 'interrupted' }, progress, PLACES).at(-1)).toContain(`scientist resume ${RUN}`);
    expect(exitCodeOfEnding({ kind: 'interrupted' })).toBe(130);
  });

  it('takes a run that was terminated on the server for no success', () => {
    const ending: Ending = { kind: 'ended', how: 'terminated' };
    expect(endingLines(ending, progress, PLACES).join('\n')).toContain('was terminated on the server');
    expect(exitCodeOfEnding(ending)).toBe(1);
  });

  it('tells a run that a person cancelled without calling it an error, and where its report is', () => {
    const text = endingLines({ kind: 'ended', how: 'cancelled' }, progress, PLACES).join('\n');
    expect(text).toContain('the run was cancelled');
    expect(text).toContain('report.md');
    expect(text).not.toContain('error');
  });

  it('names no report that is not there', () => {
    const ending: Ending = { kind: 'failed', type: null, message: 'gone', fix: null };
    expect(endingLines(ending, null, { ...PLACES, report: null }).join('\n')).not.toMatch(/report|journal/);
  });

  it('takes a completed run for a success', () => {
    expect(exitCodeOfEnding(finished())).toBe(0);
  });
});

describe('bestText', () => {
  it('says when a node was not evaluated on other seeds', () => {
    expect(bestText(good(9, 0.5), progress)).toContain('not evaluated on other seeds');
  });

  it('gives no interval for one seed', () => {
    const one = progressOf([started(0), landed(1, best), replica(2, nodeId(1), 0.96)]);
    expect(bestText(best, one)).toContain('on 1 fresh seed: mean 0.9600');
    expect(bestText(best, one)).not.toContain('interval');
  });
});
