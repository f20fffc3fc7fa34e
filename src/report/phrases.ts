import { durationText } from '../domain/duration.ts';
import type { ForkedFrom } from '../domain/fork.ts';
import type { RunOutcome } from '../domain/messages.ts';
import type { Change, Counts, ReportModel, Score, StageReport, TreeRow } from './schema.ts';
import { countText, numberText, titleText, valueText } from './words.ts';

/** Phrases that both reports share, so that they never say different things. Unescaped: the printers escape. */

/** A figure of the run that was found on disk. */
export interface FigureFile {
  /** The file's name, as the program gave it. */
  readonly name: string;
  /** The link to it, relative to the report, percent-encoded. */
  readonly href: string;
  /** Its bytes as a `data:` address, for small files; `null` for those that are only linked. */
  readonly dataUri: string | null;
}

/** Figures by the folder they lie in ({@link FigureFolder}); a folder without entry has none that can be read. */
export type FigureFiles = ReadonlyMap<string, readonly FigureFile[]>;

/** The outcome of a run in words. */
export const OUTCOME_TEXT: Readonly<Record<RunOutcome, string>> = {
  completed: 'completed',
  no_good_node: 'ended without a good node',
  stopped: 'stopped by a person',
  cancelled: 'cancelled',
};

/** What a node of a tree is, beside its number: `good, best`, `failed: timeout`. */
export function stateText(row: Pick<TreeRow, 'failure' | 'best' | 'carried' | 'pruned'>): string {
  const words = [
    row.failure === null ? 'good' : `failed: ${row.failure.reason}`,
    ...(row.best ? ['best'] : []),
    ...(row.carried ? ['carried into the stage'] : []),
    ...(row.pruned === true && row.failure?.reason !== 'pruned' ? ['pruned by a person'] : []),
  ];
  return words.join(', ');
}

/** `model.c 1 → 10`; the key alone where the values are not known, `key = value` where it did not change. */
export function changeText({ key, from, to }: Change): string {
  if (to === null) return from === null ? key : `${key} ${valueText(from)} → removed`;
  return from === null || from === to ? `${key} = ${valueText(to)}` : `${key} ${valueText(from)} → ${valueText(to)}`;
}

/** `digits 0.9861, wine 0.9722`. */
export function scoresText(scores: readonly Score[]): string {
  return scores.map(({ dataset, value }) => `${dataset} ${numberText(value)}`).join(', ');
}

/** `16 nodes: 12 good, 4 failed`. */
export function nodesText({ nodes, good, buggy }: Counts): string {
  return `${countText(nodes, 'node')}: ${good} good, ${buggy} failed`;
}

/** `42 evaluations: 3 failed, 8 taken from earlier results; 2 min 5 s of device time`. */
export function evaluationsText({ evaluations, failedEvaluations, cached, durationMs }: Counts): string {
  return `${countText(evaluations, 'evaluation')}: ${failedEvaluations} failed, ${cached} taken from earlier results; ${durationText(durationMs)} of device time`;
}

/** Whether and why a stage ended. */
export function endingText({ state, ending }: StageReport): string {
  return state === 'finished' ? `Ended: ${ending}.` : `${ending.charAt(0).toUpperCase()}${ending.slice(1)}.`;
}

/** How to read the numbers; each sentence is a promise that the code keeps. */
export function readingNotes({ run, stages }: ReportModel): string[] {
  const rows = stages.flatMap(({ ablations }) => ablations.filter(({ against }) => against !== null && against.n > 1)).length;
  return [
    `Every node is evaluated on the search seed (${run.searchSeed}) first. That value chose it, so for a best node it is likely a little too good.`,
    `n counts evaluations on fresh seeds (up to ${run.numSeeds} per replicated node), which differ from each other and from the search seed. The search seed is never among them.`,
    'Intervals are two-sided 95 % Student-t intervals of the mean over the fresh seeds. They cover what the seed changes, not what other data would change.',
    'A gain is called better or worse only when its 95 % interval leaves out 0; otherwise it is called noise. Nodes with fewer than 2 fresh seeds are called not replicated.',
    'Stages may evaluate on different datasets; values of different datasets are never compared.',
    ...(rows > 3
      ? [
          `Each interval stands for itself: among ${rows} ablations about ${Math.max(1, Math.round(rows / 20))} would look real by chance.`,
        ]
      : []),
  ];
}

/** What the run was made with, as pairs of a name and a text. */
export function runFactRows({ run }: ReportModel): [string, string][] {
  const { metric } = run;
  return [
    ['Task', run.task],
    ...(run.forkedFrom === null ? [] : [['Forked from', originText(run.forkedFrom)] satisfies [string, string]]),
    ['Goal', run.goal],
    ['Metric', `${metric.name}, ${metric.direction} (${metric.aggregation} over the datasets)`],
    ['Datasets', run.datasets.join(', ')],
    ['Search seed', String(run.searchSeed)],
    ['Fresh seeds per replicated node', String(run.numSeeds)],
    ['Devices', run.devices.map(({ name, host }) => `${name} on ${host}`).join(', ')],
    ['Workers', String(run.workers)],
    ['Isolation tier', run.tier],
    ['Strategy and schedule', `${run.strategy}, ${run.schedule}`],
    ['Proposer', run.proposer],
    ['Deterministic', run.deterministic ? 'yes' : 'no'],
    ['Python', run.python],
  ];
}

/** Where a fork came from: `n17 of run digits-1, from baseline tuning on`. */
export function originText({ run, node, stage }: ForkedFrom): string {
  return `${node} of run ${run}, from ${titleText(stage).toLowerCase()} on`;
}

/** What a stage brought against the node that it started from. */
export function againstText({ best, carried, state }: StageReport): string {
  if (state === 'not_started') return 'not run';
  if (best === null) return 'no good node';
  if (best.carried) return 'nothing better was found';
  if (best.againstCarried === null) return carried === null ? 'started from nothing' : 'the carried node has no value here';
  return best.againstCarried.text;
}

/** Node ids, the first twelve of them. */
export function nodesList(nodes: readonly string[]): string {
  return nodes.length > 12 ? `${nodes.slice(0, 12).join(', ')}, ...` : nodes.join(', ');
}
