import { ResolvedConfig } from '../../src/domain/config.ts';
import type { EvaluationRecord } from '../../src/domain/evaluation.ts';
import { Experiment } from '../../src/domain/experiment.ts';
import type { DropReason, FailureReason } from '../../src/domain/failure.ts';
import { EvaluationId, ItemId, nodeId, Ref, STAGE_NAMES, type StageName } from '../../src/domain/ids.ts';
import type { Operator } from '../../src/domain/item.ts';
import { JournalEvent } from '../../src/domain/journal.ts';
import { aggregate } from '../../src/domain/metric.ts';
import { ResolvedRun } from '../../src/domain/resolved-run.ts';
import { replicationSeed, searchSeed } from '../../src/domain/run-plan.ts';
import type { CompletionReason } from '../../src/domain/stage.ts';

/** Builds runs and journals for tests: every event goes through its schema, so none is one the system could not write. */

const DATASETS = ['digits', 'breast_cancer', 'wine'];

const TASK = {
  name: 'digits',
  goal: 'Find a classifier that is right as often as possible on three small data sets.',
  metric: { name: 'accuracy', direction: 'maximize', aggregation: 'mean' },
  datasets: DATASETS,
  entry: 'train.py',
  plot: 'plot.py',
  family: 'model.family',
  frozen: [],
  components: {
    'features.scaler': {
      type: 'choice',
      values: ['none', 'standard', 'minmax'],
      default: 'none',
      ablated: 'none',
      group: 'features',
      about: 'how features are scaled',
    },
    'features.reduction': { type: 'choice', values: ['none', 'pca'], default: 'none', ablated: 'none', group: 'features' },
    'model.family': { type: 'choice', values: ['logistic', 'forest', 'svc'], default: 'logistic', group: 'model' },
    'model.depth': { type: 'int', min: 1, max: 20, default: 3, group: 'model', ablated: 1, when: { 'model.family': ['forest'] } },
    'model.c': {
      type: 'float',
      min: 0.001,
      max: 100,
      log: true,
      default: 1,
      group: 'model',
      ablated: 1,
      about: 'inverse of the regularisation',
    },
    'train.augment': { type: 'bool', default: false, ablated: false, group: 'train' },
  },
};

const OPERATORS: Readonly<Record<StageName, Operator>> = {
  initial_implementation: 'draft',
  baseline_tuning: 'tune',
  creative_research: 'improve',
  ablation_studies: 'ablate',
};

/** What a test changes of the run that {@link exampleRun} gives. */
export interface RunChanges {
  readonly direction?: 'maximize' | 'minimize';
  readonly goal?: string;
  readonly warnings?: readonly string[];
  readonly ignoredKeys?: readonly string[];
  readonly numSeeds?: number;
  readonly html?: boolean;
}

/** A run of a small task: stages 1 and 2 on one dataset, 3 and 4 on three, two CPU slots. */
export function exampleRun(changes: RunChanges = {}): ResolvedRun {
  const direction = changes.direction ?? 'maximize';
  const metric = { ...TASK.metric, direction, name: direction === 'maximize' ? 'accuracy' : 'log_loss' };
  return ResolvedRun.parse({
    v: 1,
    plan: {
      v: 1,
      runId: 'digits-20261129-1',
      task: 'digits',
      metric,
      components: [],
      stages: STAGE_NAMES.map((name, index) => ({
        name,
        operator: OPERATORS[name],
        maxNodes: 12,
        datasets: index < 2 ? DATASETS.slice(0, 1) : DATASETS,
        rules: [],
        plots: index === 2,
      })),
      search: { policy: 'best_first', numDrafts: 3, debugProb: 0.5, maxDebugDepth: 3, ablationPairs: false },
      replication: { numSeeds: changes.numSeeds ?? 3, scope: 'best' },
      strategy: { name: 'in_order', options: {} },
      schedule: 'barrier',
      numWorkers: 2,
      devices: ['cpu0', 'cpu1'].map((name) => ({
        name,
        host: 'desk',
        kind: 'cpu',
        queue: `device.desk.${name}`,
        uuid: null,
        memoryMiB: null,
      })),
      exec: { timeoutMs: 60_000, graceMs: 5000, proposalTimeoutMs: 60_000, heartbeatTimeoutMs: 60_000, maxDispatches: 3 },
      seed: 7,
      queuePrefix: '',
      priority: 3,
      searchAttributes: [],
      maxHistoryEvents: 12_000,
    },
    config: ResolvedConfig.parse({ report: { html: changes.html ?? true } }),
    task: { ...TASK, metric },
    goal: changes.goal ?? TASK.goal,
    warnings: changes.warnings ?? [],
    ignoredKeys: changes.ignoredKeys ?? [],
    environment: { python: '/usr/bin/python3', pythonVersion: '3.11.2', packages: 'abc', dataDir: null, threads: 1 },
  });
}

/** A node as a test describes it. */
export interface NodeSketch {
  readonly id: number;
  readonly parent?: number | null;
  readonly operator?: Operator;
  readonly label?: string;
  readonly changed?: readonly string[];
  readonly plan?: string;
  /** One value per dataset of the stage, in its order; without it the node is buggy. */
  readonly scores?: readonly number[];
  readonly reason?: FailureReason;
  readonly message?: string;
  /** The stage that made it, for a carried node. */
  readonly madeIn?: StageName;
  readonly cached?: boolean;
}

/** A journal that is being written. Every call adds one event under the next number, in the current stage. */
export interface JournalSketch {
  readonly events: JournalEvent[];
  begin(stage: StageName, carried?: number | null): void;
  base(sketch: NodeSketch): void;
  node(sketch: NodeSketch): void;
  /** Replicas 0, 1, ... of a node; `null` is one that failed. Values are the metric, the same on every dataset. */
  replicas(id: number, metrics: readonly (number | null)[]): void;
  plot(id: number, figures: number): void;
  dropped(item: string, reason: DropReason, message: string): void;
  /** What a person did; `pruned` is the node whose subtree it pruned. */
  steered(message: string, pruned?: number): void;
  finish(reason: CompletionReason, text: string, best: number | null): void;
}

/** Starts an empty journal of a run. */
export function sketchJournal(run: ResolvedRun): JournalSketch {
  const events: JournalEvent[] = [];
  let stage: StageName = STAGE_NAMES[0];
  const add = (event: object): void => {
    events.push(JournalEvent.parse({ seq: events.length, stage, ...event }));
  };
  const datasets = (): string[] => run.plan.stages.find(({ name }) => name === stage)?.datasets ?? [];
  const made = (sketch: NodeSketch) => {
    const evaluations = evaluationsOf(run, datasets(), sketch);
    return { node: nodeOf(run, { ...sketch, madeIn: sketch.madeIn ?? stage }, datasets()), evaluations };
  };
  return {
    events,
    begin(name, carried = null) {
      stage = name;
      add({ kind: 'stage_started', carried: carried === null ? null : nodeId(carried) });
    },
    base: (sketch) => add({ kind: 'base', ...made(sketch) }),
    node: (sketch) => add({ kind: 'node', ...made(sketch), plan: sketch.plan ?? `Try ${sketch.label ?? 'something'}.` }),
    replicas(id, metrics) {
      for (const [replica, metric] of metrics.entries()) {
        const seed = replicationSeed(run.plan, replica);
        const evaluations = datasets().map((dataset) => record({ id, dataset, seed, value: metric }));
        add({ kind: 'replica', node: nodeId(id), replica, metric, evaluations });
      }
    },
    plot: (id, figures) =>
      add({
        kind: 'plot',
        node: nodeId(id),
        evaluations: [record({ id, dataset: 'plot', seed: searchSeed(run.plan), value: 0, figures, isPlot: true })],
      }),
    dropped: (item, reason, message) => add({ kind: 'dropped', item: ItemId.parse(item), reason, message }),
    steered: (message, pruned) => add({ kind: 'steered', message, ...(pruned !== undefined && { pruned: nodeId(pruned) }) }),
    finish: (reason, text, best) => add({ kind: 'stage_finished', reason, text, best: best === null ? null : nodeId(best) }),
  };
}

/** The ref under which tests file the experiment of a node. */
export function refOfNode(id: number): Ref {
  return Ref.parse(id.toString(16).padStart(32, '0'));
}

/** The folder name of an evaluation in tests. */
export function evaluationIdOf(id: number, dataset: string, seed: number): EvaluationId {
  const text = Buffer.from(`${dataset}${seed}`).toString('hex').slice(0, 24).padEnd(24, '0');
  return EvaluationId.parse(`${id.toString(16).padStart(8, '0')}${text}`);
}

/** Experiments of nodes, by ref. */
export function experimentsOf(parameters: Readonly<Record<number, object>>): Map<Ref, Experiment> {
  const entries = Object.entries(parameters).map(([id, values]) => {
    const experiment = Experiment.parse({ v: 1, parameters: values, files: {} });
    return [refOfNode(Number(id)), experiment] as const;
  });
  return new Map(entries);
}

function nodeOf(run: ResolvedRun, sketch: NodeSketch, datasets: readonly string[]): object {
  const { id, parent = null, operator = 'draft', label = 'logistic', changed = [], madeIn, scores } = sketch;
  const core = {
    id: nodeId(id),
    stage: madeIn,
    operator,
    parent: parent === null ? null : nodeId(parent),
    item: `${operator}:${parent ?? 'root'}:${label}`.slice(0, 300),
    label,
    changed: [...changed].sort(),
    experiment: refOfNode(id),
    debugDepth: operator === 'debug' ? 1 : 0,
  };
  if (scores === undefined) {
    return { status: 'buggy', ...core, reason: sketch.reason ?? 'exception', message: sketch.message ?? 'ValueError: bad shape' };
  }
  const metric = aggregate(run.plan.metric.aggregation, scores);
  return {
    status: 'good',
    ...core,
    metric,
    scores: Object.fromEntries(datasets.map((name, index) => [name, scores[index] ?? 0])),
  };
}

function evaluationsOf(run: ResolvedRun, datasets: readonly string[], sketch: NodeSketch): EvaluationRecord[] {
  const { id, scores, reason, message, cached = false } = sketch;
  const seed = searchSeed(run.plan);
  return datasets.map((dataset, index) =>
    record({ id, dataset, seed, value: scores?.[index] ?? null, cached, ...(reason && { reason }), ...(message && { message }) }),
  );
}

interface RecordSketch {
  readonly id: number;
  readonly dataset: string;
  readonly seed: number;
  readonly value: number | null;
  readonly figures?: number;
  readonly cached?: boolean;
  readonly isPlot?: boolean;
  readonly reason?: FailureReason;
  readonly message?: string;
}

function record(sketch: RecordSketch): EvaluationRecord {
  const {
    id,
    dataset,
    seed,
    value,
    figures = 0,
    cached = false,
    reason = 'exception',
    message = 'ValueError: bad shape',
  } = sketch;
  const outcome = {
    evaluation: evaluationIdOf(id, dataset, seed),
    attempt: '1.1',
    device: 'cpu0',
    durationMs: 1500,
    peakMemoryMiB: 90,
    figures,
    cached,
  };
  const result =
    value === null
      ? { status: 'failed', reason, message, exitCode: 1, signal: null, ...outcome }
      : { status: 'finished', value: sketch.isPlot === true ? null : value, ...outcome };
  const event = JournalEvent.parse({
    kind: 'replica',
    seq: 0,
    stage: STAGE_NAMES[0],
    node: nodeId(1),
    replica: 0,
    metric: null,
    evaluations: [{ dataset, seed, result }],
  });
  const [parsed] = event.kind === 'replica' ? event.evaluations : [];
  if (parsed === undefined) throw new TypeError('no record');
  return parsed;
}
