import { durationText } from '../../domain/duration.ts';
import type { RunningItem, StageStatus } from '../../domain/messages.ts';
import { currentStage, parentOf, type Progress, type StageProgress } from '../follow/progress.ts';
import { gainText } from './event-text.ts';
import { valueText } from './numbers.ts';
import { stageText } from './stage-text.ts';

/** Everything the live view shows. */
export interface LiveState {
  readonly runId: string;
  readonly task: string;
  readonly elapsedMs: number;
  /** `null` until the run is resolved. */
  readonly progress: Progress | null;
  /** Latest answer of the stage; `null` while there is none. */
  readonly status: StageStatus | null;
  readonly devices: readonly string[];
  /** What is wrong or being waited for; `null` when all is well. */
  readonly notice: string | null;
}

/** How the view is drawn. */
export interface ViewStyle {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
}

/**
 * The live view as lines, a pure function of the state. It never has more than `rows - 1` lines, nor a line
 * wider than `columns - 1`; on a low terminal the least important lines go first.
 */
export function liveLines(state: LiveState, style: ViewStyle): string[] {
  const lines = [
    { text: headText(state), paint: BOLD, keep: 1 },
    ...stageLines(state).map((text) => ({ text, paint: null, keep: 2 })),
    ...noticeLines(state).map((text) => ({ text, paint: YELLOW, keep: 3 })),
    ...workerLines(state).map((text) => ({ text, paint: null, keep: 4 })),
    { text: 'Ctrl-C leaves; the run stays durable', paint: DIM, keep: 5 },
  ];
  return fitted(lines, Math.max(1, style.rows - 1)).map(({ text, paint }) =>
    painted(clipped(text, style.columns - 1), paint, style.colour),
  );
}

interface ViewLine {
  readonly text: string;
  readonly paint: string | null;
  /** The lower, the longer it stays on a terminal that is too low. */
  readonly keep: number;
}

const BOLD = '1';
const DIM = '2';
const YELLOW = '33';

function headText(state: LiveState): string {
  return `${state.runId}  ${state.task}  ${elapsedText(state.elapsedMs)}`;
}

/** Whole seconds: a view that is drawn a few times a second would flicker with more. */
function elapsedText(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : durationText(ms);
}

function stageLines(state: LiveState): string[] {
  const stage = state.progress === null ? null : currentStage(state.progress);
  if (state.progress === null || stage === null) return ['the run is being resolved'];
  return [stageLine(stage, state.status), bestLine(state.progress, stage)];
}

function stageLine(stage: StageProgress, status: StageStatus | null): string {
  const limit = status?.stage === stage.stage ? `/${status.maxNodes}` : '';
  const doing = stage.finished === null ? (status?.state ?? 'running') : 'finished';
  return `${stageText(stage.stage)}  ${doing}  nodes ${stage.good + stage.buggy}${limit}  good ${stage.good}  buggy ${stage.buggy}`;
}

function bestLine(progress: Progress, stage: StageProgress): string {
  const { best } = stage;
  if (best === null) return 'best  none yet';
  const compared = gainText(best, parentOf(progress, best), progress.metric);
  return `best  ${best.id} ${progress.metric.name} ${valueText(best.metric)}${compared === '' ? '' : `  ${compared}`}  ${best.operator} ${best.label}`;
}

function noticeLines(state: LiveState): string[] {
  const waiting = state.status?.waitingFor ?? null;
  return [state.notice, waiting === null ? null : `waiting: ${waiting}`].filter((line) => line !== null);
}

function workerLines(state: LiveState): string[] {
  // The journal may know already what the stage's last answer still calls running.
  const running = (state.status?.running ?? []).filter(
    ({ item, node }) => item.kind !== 'node' || state.progress?.nodes.has(node) !== true,
  );
  const idle = state.devices.filter((device) => !running.some((item) => item.doing.endsWith(` on ${device}`)));
  return [...running.map(workerLine), ...(idle.length === 0 ? [] : [`idle  ${idle.join(', ')}`])];
}

function workerLine({ worker, item, node, doing }: RunningItem): string {
  const what =
    item.kind === 'node'
      ? `${item.operator} ${node}${item.parent === null ? '' : ` from ${item.parent}`}`
      : `${item.kind} ${node}`;
  return `w${worker}    ${what.padEnd(22)} ${doing}`;
}

function fitted(lines: readonly ViewLine[], rows: number): ViewLine[] {
  const kept = [...lines];
  while (kept.length > rows) {
    const least = Math.max(...kept.map(({ keep }) => keep));
    kept.splice(
      kept.findLastIndex(({ keep }) => keep === least),
      1,
    );
  }
  return kept;
}

function clipped(text: string, columns: number): string {
  const line = text.replaceAll(/\p{Cc}/gu, ' ');
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

function painted(text: string, paint: string | null, colour: boolean): string {
  return colour && paint !== null ? `\u001b[${paint}m${text}\u001b[0m` : text;
}
