import type { Experiment } from '../../src/domain/experiment.ts';
import type { Ref } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { ResolvedRun } from '../../src/domain/resolved-run.ts';
import { exampleRun, experimentsOf, sketchJournal, type JournalSketch } from './journal.ts';

/** A whole run with everything a report shows: four stages, failures, repairs, noise, a real gain, drops, figures. */
export interface Example {
  readonly run: ResolvedRun;
  readonly events: readonly JournalEvent[];
  readonly experiments: ReadonlyMap<Ref, Experiment>;
}

const LOGISTIC = { 'model.family': 'logistic' };
const SCALED = { ...LOGISTIC, 'features.scaler': 'standard' };
const STRONG = { ...SCALED, 'model.c': 10 };
const SVC = { ...STRONG, 'model.family': 'svc', 'features.reduction': 'pca' };

/** Makes the example. */
export function exampleReportInput(
  run: ResolvedRun = exampleRun({
    warnings: ['data_dir has no effect: the task brings its data'],
    ignoredKeys: ['report.model', 'agent.vlm_feedback.model'],
  }),
): Example {
  const journal = sketchJournal(run);
  initial(journal);
  tuning(journal);
  creative(journal);
  ablation(journal);
  const parameters = {
    1: LOGISTIC,
    2: { 'model.family': 'forest' },
    3: { 'model.family': 'svc' },
    4: { 'model.family': 'svc' },
    5: SCALED,
    6: { ...LOGISTIC, 'model.c': 30 },
    7: STRONG,
    8: { ...SCALED, 'train.augment': true },
    9: { ...STRONG, 'features.scaler': 'minmax' },
    10: SVC,
    11: { ...STRONG, 'model.family': 'forest' },
    12: { ...SVC, 'model.c': 50 },
    13: { ...SVC, 'features.scaler': 'none' },
    14: { ...SVC, 'features.reduction': 'none' },
    15: { ...SVC, 'model.c': 1 },
    16: { ...SVC, 'model.c': 1 },
  };
  return { run, events: journal.events, experiments: experimentsOf(parameters) };
}

function initial(journal: JournalSketch): void {
  journal.begin('initial_implementation');
  journal.node({
    id: 1,
    label: 'logistic',
    changed: ['model.family'],
    scores: [0.9305],
    plan: 'Start from a linear model, which trains in a second.',
  });
  journal.node({ id: 2, label: 'forest', changed: ['model.family'], scores: [0.9111] });
  journal.node({
    id: 3,
    label: 'svc',
    changed: ['model.family'],
    message: "ValueError: could not convert string to float: 'auto'",
  });
  journal.node({
    id: 4,
    parent: 3,
    operator: 'debug',
    label: 'svc',
    changed: ['model.c'],
    reason: 'timeout',
    message: 'ran longer than 60 s',
  });
  journal.replicas(1, [0.928, 0.9333, 0.925]);
  journal.finish('good_nodes', '2 good nodes of at least 1 with every draft in', 1);
}

function tuning(journal: JournalSketch): void {
  journal.begin('baseline_tuning', 1);
  journal.base({ id: 1, label: 'logistic', madeIn: 'initial_implementation', scores: [0.9305], cached: true });
  journal.node({ id: 5, parent: 1, operator: 'tune', label: 'features.scaler', changed: ['features.scaler'], scores: [0.95] });
  journal.node({ id: 6, parent: 1, operator: 'tune', label: 'model.c', changed: ['model.c'], scores: [0.9277] });
  journal.node({
    id: 7,
    parent: 5,
    operator: 'tune',
    label: 'model.c',
    changed: ['model.c'],
    scores: [0.9527],
    plan: 'Weaker regularisation, since the scaled features are on one scale.',
  });
  journal.node({
    id: 8,
    parent: 5,
    operator: 'tune',
    label: 'train.augment',
    changed: ['train.augment'],
    reason: 'out_of_memory',
    message: 'used 4.1 GiB of 4 GiB',
  });
  journal.dropped('tune:n5:features.scaler#1', 'duplicate', 'the same experiment as n1');
  journal.dropped('tune:n7:model.c#3', 'exhausted', 'every value of model.c has been tried');
  journal.replicas(7, [0.9499, 0.9555, 0.9472]);
  journal.replicas(1, [0.928, 0.9333, 0.925]);
  journal.finish('node_limit', '4 of 4 nodes', 7);
}

function creative(journal: JournalSketch): void {
  journal.begin('creative_research', 7);
  journal.base({
    id: 7,
    parent: 5,
    operator: 'tune',
    label: 'model.c',
    changed: ['model.c'],
    madeIn: 'baseline_tuning',
    scores: [0.9527, 0.9649, 0.9722],
  });
  journal.node({
    id: 9,
    parent: 7,
    operator: 'improve',
    label: 'features.scaler',
    changed: ['features.scaler'],
    scores: [0.9444, 0.9561, 0.9722],
  });
  journal.node({
    id: 10,
    parent: 7,
    operator: 'improve',
    label: 'svc with pca',
    changed: ['features.reduction', 'model.family'],
    scores: [0.9861, 0.9649, 0.9722],
    plan: 'A kernel on a reduced space may separate the digits that a line cannot.',
  });
  journal.node({
    id: 11,
    parent: 7,
    operator: 'improve',
    label: 'forest',
    changed: ['model.family'],
    scores: [0.9555, 0.9561, 0.9444],
  });
  journal.node({
    id: 12,
    parent: 10,
    operator: 'improve',
    label: 'model.c',
    changed: ['model.c'],
    scores: [0.9833, 0.9649, 0.9722],
  });
  journal.steered('setWorkers: 2 workers from now on');
  journal.plot(10, 2);
  journal.replicas(10, [0.9721, 0.9752, 0.9699]);
  journal.replicas(7, [0.9655, 0.9668, 0.9701]);
  journal.finish('node_limit', '4 of 4 nodes', 10);
}

function ablation(journal: JournalSketch): void {
  journal.begin('ablation_studies', 10);
  journal.base({
    id: 10,
    parent: 7,
    operator: 'improve',
    label: 'svc with pca',
    changed: ['features.reduction', 'model.family'],
    madeIn: 'creative_research',
    scores: [0.9861, 0.9649, 0.9722],
    cached: true,
  });
  journal.node({
    id: 13,
    parent: 10,
    operator: 'ablate',
    label: 'features.scaler',
    changed: ['features.scaler'],
    scores: [0.9777, 0.6315, 0.6944],
  });
  journal.node({
    id: 14,
    parent: 10,
    operator: 'ablate',
    label: 'features.reduction',
    changed: ['features.reduction'],
    scores: [0.9833, 0.9649, 0.9722],
  });
  journal.node({
    id: 15,
    parent: 10,
    operator: 'ablate',
    label: 'model.c',
    changed: ['model.c'],
    reason: 'no_result',
    message: 'ended with exit code 0 and no final value',
  });
  journal.node({
    id: 16,
    parent: 15,
    operator: 'debug',
    label: 'model.c',
    changed: ['model.c'],
    scores: [0.9833, 0.9649, 0.9666],
  });
  journal.replicas(10, [0.9721, 0.9752, 0.9699]);
  journal.replicas(13, [0.761, 0.7724, 0.7688]);
  journal.replicas(14, [0.9741, 0.9714, 0.9722]);
  journal.finish('exhausted', 'every component was ablated', 10);
}
