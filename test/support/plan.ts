import { RunPlan } from '../../src/domain/run-plan.ts';
import type { CompletionRule, StageDefinition } from '../../src/domain/stage.ts';
import { deviceQueue } from '../../src/domain/device.ts';
import type { StageName } from '../../src/domain/ids.ts';

/** Small plans for tests of the core and of the workflows. */

/** A stage definition with the defaults of a test. */
export function stageDefinition(name: StageName, change: Partial<StageDefinition> = {}): StageDefinition {
  const operator = {
    initial_implementation: 'improve',
    baseline_tuning: 'tune',
    creative_research: 'improve',
    ablation_studies: 'ablate',
  } as const;
  const rules: CompletionRule[] = name === 'initial_implementation' ? [{ rule: 'good_nodes', min: 1 }] : [];
  return { name, operator: operator[name], maxNodes: 6, datasets: ['a'], rules, plots: false, ...change };
}

/** A plan over two CPU slots, three tunable components, and a metric to maximise. */
export function testPlan(change: Partial<RunPlan> = {}): RunPlan {
  const queuePrefix = change.queuePrefix ?? '';
  const device = (name: string) => ({
    name,
    host: 'here',
    kind: 'cpu',
    queue: deviceQueue(queuePrefix, 'here', name),
    uuid: null,
    memoryMiB: null,
  });
  const component = (key: string) => ({ key, group: 'all', tunable: true, ablatable: true });
  return RunPlan.parse({
    v: 1,
    runId: 'test-run',
    task: 'probe',
    metric: { name: 'score', direction: 'maximize', aggregation: 'mean' },
    components: ['x', 'y', 'z'].map(component),
    stages: [
      stageDefinition('initial_implementation'),
      stageDefinition('baseline_tuning'),
      stageDefinition('creative_research', { datasets: ['a', 'b'], plots: true }),
      stageDefinition('ablation_studies', { datasets: ['a', 'b'] }),
    ],
    search: { policy: 'best_first', numDrafts: 3, debugProb: 0.5, maxDebugDepth: 3, ablationPairs: false },
    replication: { numSeeds: 2, scope: 'best' },
    strategy: { name: 'in_order', options: {} },
    schedule: 'barrier',
    numWorkers: 2,
    devices: ['cpu0', 'cpu1'].map(device),
    exec: { timeoutMs: 60_000, graceMs: 1000, proposalTimeoutMs: 60_000, heartbeatTimeoutMs: 5000, maxDispatches: 3 },
    seed: 1,
    queuePrefix,
    priority: 3,
    searchAttributes: ['ResearchTask', 'ResearchStage', 'ResearchStatus', 'ResearchBest', 'ResearchNodes', 'ResearchBuggy'],
    maxHistoryEvents: 12_000,
    ...change,
  });
}
