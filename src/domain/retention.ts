/**
 * What may be removed from the disk. A function of what lies there and of what is known of the runs; the adapter
 * finds the one and does the other (adapters/clean-up.ts).
 *
 * D1 Nothing of a run that may go on: one that is open on the server, that has an evaluation which its ledger
 *    does not call dead, or of which no server says that it has ended and that has no report.
 * D2 The attempt that gave an evaluation its result stays: its output and figures are what the result rests on.
 * D3 An evaluation without a result keeps everything: its checkpoint and output may be needed.
 */

/** What can be asked for. */
export const CLEAN_PARTS = ['attempts', 'checkpoints', 'reruns', 'cache', 'runs'] as const;
/** One kind of thing that can be asked for. */
export type CleanPart = (typeof CLEAN_PARTS)[number];

/** A folder of a known name and its size. */
export interface Sized {
  readonly name: string;
  readonly bytes: number;
}

/** An evaluation as it lies on the disk. */
export interface EvaluationOnDisk {
  readonly id: string;
  /** The attempt that gave the result; `null` without a result. */
  readonly resultOf: string | null;
  readonly attempts: readonly Sized[];
  /** `null` where there is no checkpoint folder. */
  readonly checkpoint: number | null;
}

/** A run as it lies on the disk, and what is known of it. */
export interface RunOnDisk {
  readonly runId: string;
  /** Whether the server says that it is open; `null` when no server could tell. */
  readonly open: boolean | null;
  /** Whether a report is written and nothing was journalled after it. */
  readonly reported: boolean;
  /** Ids, of the run and of its reruns, under which the ledgers have attempts that are not dead. */
  readonly unfinished: readonly string[];
  /** When it was last written to, ms since 1970. */
  readonly lastUsedAt: number;
  readonly bytes: number;
  readonly evaluations: readonly EvaluationOnDisk[];
  readonly reruns: readonly (Sized & { readonly id: string })[];
  /** Whether it takes results of the project and gives some. */
  readonly usesCache: boolean;
}

/** What is wanted. */
export interface CleanWish {
  readonly parts: readonly CleanPart[];
  /** Only these runs; empty = all. Results of the project belong to no run. */
  readonly runs: readonly string[];
  /** Whole runs only when they were not written to for this long, ms. */
  readonly olderThanMs: number;
}

/** One thing to remove. */
export type Removal = { readonly bytes: number } & (
  | { readonly part: 'attempts'; readonly run: string; readonly evaluation: string; readonly attempt: string }
  | { readonly part: 'checkpoints'; readonly run: string; readonly evaluation: string }
  | { readonly part: 'reruns'; readonly run: string; readonly rerun: string }
  | { readonly part: 'runs'; readonly run: string }
  | { readonly part: 'cache'; readonly file: string }
);

/** What goes, and which runs are left alone. */
export interface CleanPlan {
  readonly removals: readonly Removal[];
  readonly kept: readonly { readonly run: string; readonly why: string }[];
}

/** What lies on the disk of a project. */
export interface DiskState {
  readonly runs: readonly RunOnDisk[];
  /** Files of the results that runs share. */
  readonly cache: readonly Sized[];
  /** ms since 1970 */
  readonly now: number;
}

/** What may go of what is wanted (D1 to D3). What goes with its whole run is not listed again by itself. */
export function planClean({ runs, cache, now }: DiskState, wish: CleanWish): CleanPlan {
  const asked = runs.filter(({ runId }) => wish.runs.length === 0 || wish.runs.includes(runId));
  const judged = asked.map((run) => ({ run, why: whyKept(run) }));
  const removals = judged.flatMap(({ run, why }) => (why === null ? ofRun(run, wish, now) : []));
  return {
    removals: [...removals, ...(wish.parts.includes('cache') && !isCacheInUse(runs) ? cache.map(ofCache) : [])],
    kept: judged.flatMap(({ run, why }) => (why === null ? [] : [{ run: run.runId, why }])),
  };
}

/** Why nothing of a run may go; `null` when it has ended for good (D1). */
export function whyKept(run: Pick<RunOnDisk, 'runId' | 'open' | 'reported' | 'unfinished'>): string | null {
  if (run.open === true) return 'it is not over';
  if (run.unfinished.includes(run.runId)) return 'an evaluation of it runs, or was left for a worker to settle';
  if (run.open === null && !run.reported) return 'it has no report, and no server runs that could say whether it is over';
  return null;
}

/** Whether a run that may go on shares results. */
function isCacheInUse(runs: readonly RunOnDisk[]): boolean {
  return runs.some((run) => run.usesCache && whyKept(run) !== null);
}

function ofCache({ name, bytes }: Sized): Removal {
  return { part: 'cache', file: name, bytes };
}

function ofRun(run: RunOnDisk, { parts, olderThanMs }: CleanWish, now: number): Removal[] {
  const { runId, bytes, evaluations, unfinished } = run;
  const isOld = now - run.lastUsedAt >= olderThanMs;
  if (parts.includes('runs') && isOld && unfinished.length === 0) return [{ part: 'runs', run: runId, bytes }];
  const ended = evaluations.filter(({ resultOf }) => resultOf !== null);
  const attempts = ended.flatMap((evaluation) => superseded(runId, evaluation));
  const checkpoints = ended.flatMap(({ id, checkpoint }): Removal[] =>
    checkpoint === null ? [] : [{ part: 'checkpoints', run: runId, evaluation: id, bytes: checkpoint }],
  );
  const reruns = run.reruns
    .filter(({ id }) => !unfinished.includes(id))
    .map((rerun): Removal => ({ part: 'reruns', run: runId, rerun: rerun.name, bytes: rerun.bytes }));
  return [...attempts, ...checkpoints, ...reruns].filter(({ part }) => parts.includes(part));
}

function superseded(run: string, { id, resultOf, attempts }: EvaluationOnDisk): Removal[] {
  return attempts
    .filter(({ name }) => name !== resultOf)
    .map(({ name, bytes }) => ({ part: 'attempts', run, evaluation: id, attempt: name, bytes }));
}
