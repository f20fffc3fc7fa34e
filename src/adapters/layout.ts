import { join } from 'node:path';
import { rerunOf, type EvaluationId, type NodeId, type Ref, type StageName } from '../domain/ids.ts';

/**
 * Where things lie. Every path of the project's state is made here, so that the tree can be read in one
 * place; nothing from a payload becomes a path except through a parsed id.
 *
 * ```
 * <home>/.scientist/            server database, locks, worker records, ledgers, shared results, own strategies, logs, the Python venv
 * <home>/runs/<run>/run.json    everything a run was resolved to (adapters/run-store.ts)
 *   config.yaml task/ artifacts/ journal/ evaluations/ <stage>/<node>/ best/ reruns/<n>/ report.md report.html report.json
 * ```
 */
export interface Home {
  /** Folder that holds `.scientist` and `runs`. */
  readonly root: string;
}

/** Paths of the project's state. */
export const homePaths = (home: Home) => ({
  state: join(home.root, '.scientist'),
  database: join(home.root, '.scientist', 'temporal.db'),
  server: join(home.root, '.scientist', 'server.json'),
  locks: join(home.root, '.scientist', 'locks'),
  workers: join(home.root, '.scientist', 'workers'),
  attached: join(home.root, '.scientist', 'attached'),
  ledgers: join(home.root, '.scientist', 'ledgers'),
  /** What runs share with `cache: project` (adapters/evaluation-cache.ts). */
  sharedResults: join(home.root, '.scientist', 'evaluations'),
  /** Strategies of the user's own, by their content (adapters/own-strategies.ts). */
  strategies: join(home.root, '.scientist', 'strategies'),
  logs: join(home.root, '.scientist', 'logs'),
  runs: join(home.root, 'runs'),
});

/** A result that runs share. */
export function sharedResultPath(home: Home, id: EvaluationId): string {
  return join(homePaths(home).sharedResults, `${id}.json`);
}

/** Paths of one run, or of a rerun, which lies below its run. */
export function runPaths(home: Home, runId: string): RunPaths {
  const rerun = rerunOf(runId);
  const root =
    rerun === null ? join(home.root, 'runs', runId) : join(home.root, 'runs', rerun.run, 'reruns', String(rerun.number));
  return {
    root,
    runFile: join(root, 'run.json'),
    config: join(root, 'config.yaml'),
    task: join(root, 'task'),
    artifacts: join(root, 'artifacts'),
    journal: join(root, 'journal'),
    journalFile: join(root, 'journal.json'),
    evaluations: join(root, 'evaluations'),
    best: join(root, 'best'),
    reruns: join(root, 'reruns'),
    rerunFile: join(root, 'rerun.json'),
    reportMarkdown: join(root, 'report.md'),
    reportHtml: join(root, 'report.html'),
    reportData: join(root, 'report.json'),
    node: (stage, node) => join(root, stage, node),
    artifact: (ref) => join(root, 'artifacts', ref.slice(0, 2), ref),
    event: (seq) => join(root, 'journal', `${String(seq).padStart(7, '0')}.json`),
    evaluation: (id) => join(root, 'evaluations', id),
    result: (id) => join(root, 'evaluations', id, 'result.json'),
    origin: (id) => join(root, 'evaluations', id, 'origin.json'),
    checkpoint: (id) => join(root, 'evaluations', id, 'checkpoint'),
    attempt: (id, attempt) => join(root, 'evaluations', id, 'attempts', attempt),
  };
}

/** Paths of one run; see {@link runPaths}. */
export interface RunPaths {
  readonly root: string;
  readonly runFile: string;
  readonly config: string;
  /** Copy of the task's folder as it was when the run was resolved. */
  readonly task: string;
  readonly artifacts: string;
  /** One file per journal event. */
  readonly journal: string;
  /** The whole journal in one file, written with the report. */
  readonly journalFile: string;
  readonly evaluations: string;
  /** The best program, complete. */
  readonly best: string;
  /** One folder per rerun of a node, laid out as a run's: `<n>/evaluations/`. */
  readonly reruns: string;
  /** Of a rerun: what was compared with what. */
  readonly rerunFile: string;
  readonly reportMarkdown: string;
  readonly reportHtml: string;
  /** What the report says, as data. */
  readonly reportData: string;
  readonly node: (stage: StageName, node: NodeId) => string;
  readonly artifact: (ref: Ref) => string;
  readonly event: (seq: number) => string;
  readonly evaluation: (id: EvaluationId) => string;
  readonly result: (id: EvaluationId) => string;
  /** Where a result is from that another run made. */
  readonly origin: (id: EvaluationId) => string;
  readonly checkpoint: (id: EvaluationId) => string;
  /** Holds `output.log`, `results.jsonl`, `exit.json`, `shim.json` and `out/`. */
  readonly attempt: (id: EvaluationId, attempt: string) => string;
}
