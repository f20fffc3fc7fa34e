import { summarise } from '../../domain/statistics.ts';
import { STAGE_NAMES } from '../../domain/ids.ts';
import type { ResearchResult, RunOutcome } from '../../domain/messages.ts';
import type { GoodNode } from '../../domain/node.ts';
import type { Ending } from '../follow/ending.ts';
import type { Progress } from '../follow/progress.ts';
import { countText, valueText } from './numbers.ts';
import { tableLines } from './table.ts';

/** Where the things of a run lie, and how its history is seen; all ready to be printed. */
export interface EndingPlaces {
  readonly runId: string;
  /** `null` when it was not written. */
  readonly report: string | null;
  readonly program: string;
  readonly journal: string;
  /** How to see the history again: a command, an address, or both. */
  readonly history: string;
}

const OUTCOME_TEXT: Readonly<Record<RunOutcome, string>> = {
  completed: 'the run is complete',
  no_good_node: 'the run ended without a good node',
  stopped: 'the run was stopped',
  cancelled: 'the run was cancelled',
};

/** The last lines of a command that followed a run. */
export function endingLines(ending: Ending, progress: Progress | null, places: EndingPlaces): string[] {
  const { runId } = places;
  switch (ending.kind) {
    case 'finished': {
      const rows = [...bestRows(ending.result, progress, places), ...placeRows(places)];
      return ['', `${OUTCOME_TEXT[ending.result.outcome]}: ${stagesText(ending.result)}`, ...tableLines(rows)];
    }
    case 'failed':
      return [
        '',
        `error: run ${runId} failed: ${ending.message}`,
        `fix: ${ending.fix ?? FIX_FAILED}`,
        ...tableLines(placeRows(places)),
      ];
    case 'ended':
      if (ending.how === 'cancelled') return ['', OUTCOME_TEXT.cancelled, ...tableLines(placeRows(places))];
      return ['', `error: run ${runId} was ${ending.how} on the server`, `fix: ${FIX_ENDED}`, ...tableLines(placeRows(places))];
    case 'parked':
      return [
        '',
        `error: run ${runId} needs attention: stage ${ending.stage} failed: ${ending.why}`,
        `fix: mend the cause, then: scientist retry ${runId} ${ending.stage}`,
        `or, while scientist up runs elsewhere: scientist skip ${runId} ${ending.stage}, or scientist stop ${runId}`,
        ...tableLines(placeRows(places)),
      ];
    case 'interrupted':
      return ['', `run ${runId} is durable; follow it again, or let it go on, with: scientist resume ${runId}`];
  }
}

/** The best node with its metric, and how sure that is. */
export function bestText(best: GoodNode, progress: Progress | null): string {
  const metric = progress?.metric.name ?? 'metric';
  const replicas = progress?.replicas.get(best.id)?.values ?? [];
  const { mean, interval, n } = summarise(replicas);
  const alone = `${best.id} ${metric} ${valueText(best.metric)} (${best.operator} ${best.label})`;
  if (mean === null) return `${alone}, not evaluated on other seeds`;
  const range = interval === null ? '' : ` [${valueText(interval.low)}, ${valueText(interval.high)}]`;
  return `${alone}; on ${countText(n, 'fresh seed')}: mean ${valueText(mean)}${range === '' ? '' : `, 95 % interval${range}`}`;
}

const FIX_FAILED = 'do what the message says, then start the run afresh with scientist run; see also scientist doctor';
const FIX_ENDED = 'start it afresh with scientist run';

function stagesText({ stages }: ResearchResult): string {
  const good = stages.reduce((sum, { outcomes }) => sum + outcomes.good, 0);
  const buggy = stages.reduce((sum, { outcomes }) => sum + outcomes.buggy, 0);
  return `${stages.length} of ${STAGE_NAMES.length} stages, ${countText(good, 'good node')}, ${countText(buggy, 'buggy node')}`;
}

function bestRows({ best }: ResearchResult, progress: Progress | null, { program }: EndingPlaces): string[][] {
  if (best?.status !== 'good') return [];
  return [
    ['best', bestText(best, progress)],
    ['program', program],
  ];
}

function placeRows({ report, journal, history }: EndingPlaces): string[][] {
  return [
    ...(report === null
      ? []
      : [
          ['report', report],
          ['journal', journal],
        ]),
    ['history', history],
  ];
}
