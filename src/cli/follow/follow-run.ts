import type { Home } from '../../adapters/layout.ts';
import { loadRun } from '../../adapters/run-store.ts';
import type { MetricSpec } from '../../domain/metric.ts';
import type { ParkedStage } from '../../domain/messages.ts';
import type { ResolvedRun } from '../../domain/resolved-run.ts';
import { PlatformFailure } from '../../domain/failure.ts';
import { pause } from '../interruption.ts';
import type { RunClient } from '../run-client.ts';
import { eventText } from '../text/event-text.ts';
import { endingOf, type Ending } from './ending.ts';
import { NOTHING_OBSERVED, observe, type Observation } from './observer.ts';
import { advance, noProgress, type Progress } from './progress.ts';
import type { Screen } from './screen.ts';
import { tailJournal } from './tail-journal.ts';

/** What is followed, and where it is shown. */
export interface FollowInput {
  readonly home: Home;
  readonly runId: string;
  readonly client: RunClient;
  readonly screen: Screen;
  /** Ends the following, not the run. */
  readonly signal: AbortSignal;
  /** Whether events of before are told too; otherwise they are only counted. */
  readonly tellPast: boolean;
}

/** A few drawings a second look alive and cost nothing; the server is asked once a second. */
const DRAW_MS = 250;
const ASK_MS = 1000;

/**
 * Follows a run to its end, or until the signal. What the server says (status, end) and what the journal on
 * disk says (events) are two sources: the server and the workers may be killed and come back meanwhile.
 */
export async function followRun(input: FollowInput): Promise<{ ending: Ending; progress: Progress | null }> {
  const stopAsking = new AbortController();
  const signal = AbortSignal.any([input.signal, stopAsking.signal]);
  const asked = { now: NOTHING_OBSERVED };
  const asking = keepAsking(input, signal, asked);
  // It may fail while the loop below waits for something else; the race brings that up.
  asking.catch(() => undefined);
  try {
    const reader = journalReader(input, asked);
    while (!input.signal.aborted && !isOver(asked.now) && parkedStage(asked.now) === null) {
      await reader.read();
      await Promise.race([pause(DRAW_MS, input.signal), asking]);
    }
    await reader.read();
    input.screen.close();
    return { ending: await endingNow(input, asked.now), progress: reader.progress() };
  } finally {
    stopAsking.abort();
    input.screen.close();
    await asking.catch(() => undefined);
  }
}

async function endingNow(input: FollowInput, seen: Observation): Promise<Ending> {
  if (isOver(seen)) return endingOf(input, seen);
  const parked = parkedStage(seen);
  return parked === null ? { kind: 'interrupted' } : { kind: 'parked', ...parked };
}

/** The stage that waits for a person: nothing goes on until then, so that nobody should wait for it here. */
function parkedStage({ run }: Observation): ParkedStage | null {
  return run?.parked ?? null;
}

function isOver({ description }: Observation): boolean {
  return description !== null && description.closedAt !== null;
}

async function keepAsking(input: FollowInput, signal: AbortSignal, asked: { now: Observation }): Promise<void> {
  while (!signal.aborted && !isOver(asked.now)) {
    const before = asked.now;
    asked.now = await observe(input.client, input.runId, before);
    if (asked.now.away !== before.away) input.screen.print([asked.now.away ?? 'the run answers again']);
    await pause(ASK_MS, signal);
  }
}

interface JournalReader {
  read(): Promise<void>;
  progress(): Progress | null;
}

function journalReader(input: FollowInput, asked: { readonly now: Observation }): JournalReader {
  const tail = tailJournal(input.home, input.runId);
  const openedAt = Date.now();
  let resolved: ResolvedRun | null = null;
  let progress: Progress | null = null;
  let told = input.tellPast;
  const take = async ({ plan: { metric } }: ResolvedRun): Promise<void> => {
    const { events, restarted } = await tail.next();
    if (restarted) input.screen.print(['the run was reset; its journal from the start:']);
    progress = restarted ? noProgress(metric) : (progress ?? noProgress(metric));
    const lines: string[] = [];
    for (const event of events) {
      progress = advance(progress, event);
      lines.push(eventText(event, progress));
    }
    if (told) input.screen.print(lines);
    told = true;
  };
  return {
    progress: () => progress,
    read: async () => {
      resolved ??= await loadedRun(input.home, input.runId);
      if (resolved !== null) await take(resolved);
      const startedAt = asked.now.description?.startedAt.getTime() ?? openedAt;
      const metric = resolved?.plan.metric ?? null;
      input.screen.draw({
        runId: input.runId,
        task: taskText(resolved, metric),
        elapsedMs: Date.now() - startedAt,
        progress,
        status: asked.now.stage,
        devices: resolved?.plan.devices.map(({ name }) => name) ?? [],
        notice: asked.now.away,
      });
    },
  };
}

function taskText(resolved: ResolvedRun | null, metric: MetricSpec | null): string {
  return resolved === null || metric === null ? '' : `${resolved.plan.task}, ${metric.name} (${metric.direction})`;
}

async function loadedRun(home: Home, runId: string): Promise<ResolvedRun | null> {
  try {
    return await loadRun(home, runId);
  } catch (error) {
    if (error instanceof PlatformFailure && error.type === 'ArtifactMissing') return null;
    throw error;
  }
}
