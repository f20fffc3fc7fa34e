import { ServiceError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { saveRun, writeEvent } from '../../../../src/adapters/run-store.ts';
import { followRun } from '../../../../src/cli/follow/follow-run.ts';
import type { Screen } from '../../../../src/cli/follow/screen.ts';
import type { RunClient, RunDescription } from '../../../../src/cli/run-client.ts';
import type { LiveState } from '../../../../src/cli/text/live-view.ts';
import type { Home } from '../../../../src/adapters/layout.ts';
import type { ResearchResult } from '../../../../src/domain/messages.ts';
import { good, landed, RUN, runStatus, stageStatus, started } from '../../../support/cli-fixtures.ts';
import { exampleRun } from '../../../support/journal.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const RUNNING: RunDescription = { status: 'RUNNING', startedAt: new Date(0), closedAt: null };
const OVER: RunDescription = { status: 'COMPLETED', startedAt: new Date(0), closedAt: new Date(1) };
const RESULT: ResearchResult = { runId: RUN, outcome: 'completed', best: good(1, 0.9), stages: [], report: 'report.md' };

/** A server that describes the run by a script, one entry a question; an error is thrown. The last entry stays. */
function scripted(
  script: readonly (RunDescription | Error)[],
  onQuestion: (question: number) => Promise<void> | void,
): RunClient {
  let asked = 0;
  const never = () => Promise.reject(new Error('not asked for here'));
  return {
    describe: async () => {
      const entry = script[Math.min(asked++, script.length - 1)] ?? OVER;
      await onQuestion(asked);
      if (entry instanceof Error) throw entry;
      return entry;
    },
    status: () => Promise.resolve({ kind: 'answer', value: runStatus() }),
    stageStatus: () => Promise.resolve({ kind: 'answer', value: stageStatus() }),
    result: () => Promise.resolve(RESULT),
    retrying: never,
    start: never,
    signal: never,
    update: never,
    cancel: never,
  };
}

function recorded(): Screen & { lines: string[]; states: LiveState[] } {
  const lines: string[] = [];
  const states: LiveState[] = [];
  return {
    lines,
    states,
    print: (more) => void lines.push(...more),
    draw: (state) => void states.push(state),
    close: () => undefined,
  };
}

async function resolvedHome(): Promise<Home> {
  const home = { root: temporaryFolder() };
  const run = exampleRun();
  await saveRun(home, { ...run, plan: { ...run.plan, runId: RUN } });
  return home;
}

const away = () => new ServiceError('away', { cause: new Error('ECONNREFUSED') });

describe('followRun', () => {
  it('tells every event once, up to the last before the end', async () => {
    const home = await resolvedHome();
    const client = scripted([RUNNING, RUNNING, OVER], async (question) => {
      if (question === 1) await writeEvent(home, RUN, started(0));
      if (question === 2) await writeEvent(home, RUN, landed(1, good(1, 0.9)));
      if (question === 3) await writeEvent(home, RUN, landed(2, good(2, 0.8)));
    });
    const screen = recorded();
    const { ending, progress } = await followRun({
      home,
      runId: RUN,
      client,
      screen,
      signal: new AbortController().signal,
      tellPast: true,
    });
    expect(ending).toEqual({ kind: 'finished', result: RESULT });
    expect(screen.lines.map((line) => /n\d+|stage/.exec(line)?.[0])).toEqual(['stage', 'n1', 'n2']);
    expect(progress?.nodes.size).toBe(2);
  });

  it('says once that the server is away, once that it is back, and goes on', async () => {
    const home = await resolvedHome();
    const client = scripted([RUNNING, away(), away(), RUNNING, OVER], () => undefined);
    const screen = recorded();
    await followRun({ home, runId: RUN, client, screen, signal: new AbortController().signal, tellPast: true });
    expect(screen.lines).toEqual(['the server is away; waiting for it', 'the run answers again']);
    expect(screen.states.some(({ notice }) => notice !== null)).toBe(true);
  });

  it('leaves at the signal and calls that interrupted', async () => {
    const home = await resolvedHome();
    const controller = new AbortController();
    const client = scripted([RUNNING], (question) => {
      if (question === 2) controller.abort();
    });
    const { ending } = await followRun({
      home,
      runId: RUN,
      client,
      screen: recorded(),
      signal: controller.signal,
      tellPast: true,
    });
    expect(ending).toEqual({ kind: 'interrupted' });
  });

  it('does not tell the events of before when it is not asked to', async () => {
    const home = await resolvedHome();
    await writeEvent(home, RUN, started(0));
    await writeEvent(home, RUN, landed(1, good(1, 0.9)));
    const client = scripted([RUNNING, OVER], async (question) => {
      if (question === 2) await writeEvent(home, RUN, landed(2, good(2, 0.95)));
    });
    const screen = recorded();
    const { progress } = await followRun({
      home,
      runId: RUN,
      client,
      screen,
      signal: new AbortController().signal,
      tellPast: false,
    });
    expect(screen.lines.map((line) => /n\d+/.exec(line)?.[0])).toEqual(['n2']);
    expect(progress?.nodes.size).toBe(2);
  });

  it('passes on what is no absence of the server', async () => {
    const client = scripted([new TypeError('a fault')], () => undefined);
    const follow = followRun({
      home: await resolvedHome(),
      runId: RUN,
      client,
      screen: recorded(),
      signal: new AbortController().signal,
      tellPast: true,
    });
    await expect(follow).rejects.toThrow('a fault');
  });

  it('tells a run that was terminated from one that failed', async () => {
    const client = scripted([{ ...OVER, status: 'TERMINATED' }], () => undefined);
    const input = {
      home: await resolvedHome(),
      runId: RUN,
      client,
      screen: recorded(),
      signal: new AbortController().signal,
      tellPast: true,
    };
    expect((await followRun(input)).ending).toEqual({ kind: 'ended', how: 'terminated' });
  });
});
