import { tableLines } from '../../src/cli/text/table.ts';
import { PHASES, type Phase } from '../../src/workers/faults/fault.ts';
import type { ChaosOutcome } from './chaos-run.ts';

/** The outcome of a fault matrix as text: faults by phases, what was lost and doubled, how soon work went on. */

const SHORT: Readonly<Record<Phase, string>> = {
  before_first_node: 'before',
  proposing: 'propose',
  queued: 'queued',
  running: 'running',
  reporting: 'record',
  between_rounds: 'between',
  stage_change: 'stage',
  continue_as_new: 'as new',
  report: 'report',
};

/** One line per fault: how often it hit in each phase, and what came of it over all of its runs. */
export function matrixTable(outcomes: readonly ChaosOutcome[]): string {
  const faults = [...new Set(outcomes.flatMap(({ strikes }) => strikes.map(({ fault }) => fault)))];
  const head = ['fault', ...PHASES.map((phase) => SHORT[phase]), 'kills', 'next evaluation after'];
  const rows = faults.map((fault) => [fault, ...rowOf(fault, outcomes)]);
  return [...tableLines([head, ...rows]), '', totalLine(outcomes)].map((line) => `  ${line}\n`).join('');
}

function rowOf(fault: string, outcomes: readonly ChaosOutcome[]): string[] {
  const strikes = outcomes.flatMap(({ strikes: all, recoveries }) =>
    all.map((strike, index) => ({ ...strike, recoveryMs: recoveries[index] ?? null })),
  );
  const hits = strikes.filter((strike) => strike.fault === fault && strike.hits.length > 0);
  const inPhase = (phase: Phase): number =>
    hits.filter(({ wanted, seen }) => (wanted !== null && seen.includes(wanted) ? wanted : seen[0]) === phase).length;
  const counts = PHASES.map((phase) => (inPhase(phase) === 0 ? '.' : String(inPhase(phase))));
  const times = hits.flatMap(({ recoveryMs }) => (recoveryMs === null ? [] : [recoveryMs])).sort((a, b) => a - b);
  return [...counts, String(hits.length), timesText(times)];
}

function timesText(sorted: readonly number[]): string {
  if (sorted.length === 0) return '-';
  const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(1)}s`;
  return `${seconds(sorted[0])} to ${seconds(sorted.at(-1))}, median ${seconds(sorted[Math.floor(sorted.length / 2)])}`;
}

function totalLine(outcomes: readonly ChaosOutcome[]): string {
  const sum = (count: (outcome: ChaosOutcome) => number): number => outcomes.reduce((all, one) => all + count(one), 0);
  const kills = sum(({ strikes }) => strikes.filter(({ hits }) => hits.length > 0).length);
  const [started, finished] = [sum(({ audit }) => audit.started), sum(({ audit }) => audit.finished)];
  const [lost, doubled] = [sum(({ audit }) => audit.lost.length), sum(({ audit }) => audit.doubled.length)];
  return `${outcomes.length} runs, ${kills} faults, ${started} attempts, ${finished} evaluations; lost ${lost}, doubled ${doubled}`;
}
