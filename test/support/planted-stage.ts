import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RunConfig } from '../../src/domain/config.ts';
import { canonicalText, type Experiment } from '../../src/domain/experiment.ts';
import type { DropReason } from '../../src/domain/failure.ts';
import { nodeId, Ref, RunId, type NodeId, type StageName } from '../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../src/domain/item.ts';
import { bestNode, findNode } from '../../src/domain/journal.ts';
import type { Node } from '../../src/domain/node.ts';
import type { PastNode } from '../../src/domain/proposal.ts';
import { randomStream, type Random } from '../../src/domain/random.ts';
import { planRun } from '../../src/domain/resolve.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import type { StageDefinition } from '../../src/domain/stage.ts';
import { activeKeys, defaultParameters } from '../../src/domain/task.ts';
import { changedKeys, editedExperiment, editProblem, strayKeys } from '../../src/proposers/check-edit.ts';
import { createSearchSpaceProposer } from '../../src/proposers/search-space/search-space.ts';
import type { ProposalContext } from '../../src/proposers/proposer.ts';
import { unite, type UnionProposal } from '../../src/proposers/unite.ts';
import { backlogOf } from '../../src/search/backlog.ts';
import { completion } from '../../src/search/completion.ts';
import { changeable, factsOf } from '../../src/search/item-facts.ts';
import { nodeCore, type ItemOutcome, type NodeDraft } from '../../src/search/outcome.ts';
import type { PolicyInput } from '../../src/search/policy.ts';
import { policyNamed } from '../../src/search/registry.ts';
import { gainOf, initialStageState, withDispatched, withOutcome, type StageState } from '../../src/search/stage-state.ts';
import { workKeyOf } from '../../src/search/work.ts';
import { strategyOfStage } from '../../src/strategies/registry.ts';
import type { WorkUnit } from '../../src/strategies/strategy.ts';
import { testPlan } from './plan.ts';
import type { Planted, Point } from './planted.ts';

/**
 * A stage on a planted task without server, workers and Python: the plan is made from a config, policy, strategy,
 * proposer, merges and the stage's state are the real ones in the order in which the workflow calls them, and only
 * the evaluation is replaced, by the formula of the task.
 */

/** What is searched, and how. */
export interface PlantedWorld {
  readonly planted: Planted;
  readonly stage: StageName;
  /** The config beside the task. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Keys that no edit may change, as if the task had frozen them after its drafts. */
  readonly kept?: readonly string[];
}

/** A node that was made. */
export interface Made {
  readonly node: Node;
  readonly item: NodeItem;
  readonly unit: WorkUnit;
  readonly point: Point;
  readonly gain: number | null;
}

/** How the stage went. */
export interface PlantedRun {
  readonly base: Node | null;
  readonly made: readonly Made[];
  readonly dropped: readonly { readonly item: NodeItem; readonly reason: DropReason }[];
  /** Everything that was given out, in order. */
  readonly given: readonly { readonly item: NodeItem; readonly unit: WorkUnit; readonly family: string | null }[];
  readonly best: { readonly id: NodeId; readonly metric: number } | undefined;
}

interface Busy {
  readonly unit: WorkUnit;
  readonly item: NodeItem;
  readonly made: Worked;
}

/** What becomes of an item, and the program that it makes. */
interface Worked {
  readonly outcome: ItemOutcome;
  readonly experiment: Experiment | null;
}

/** Runs a stage until a rule ends it or nothing is left to try. */
export async function runPlanted(world: PlantedWorld): Promise<PlantedRun> {
  const stage = new PlantedStage(world);
  await stage.run();
  return stage;
}

class PlantedStage implements PlantedRun {
  readonly made: Made[] = [];
  readonly dropped: { item: NodeItem; reason: DropReason }[] = [];
  readonly given: { item: NodeItem; unit: WorkUnit; family: string | null }[] = [];
  readonly base: Node | null;
  private readonly world: PlantedWorld;
  private readonly plan: RunPlan;
  private readonly definition: StageDefinition;
  private readonly strategy;
  private readonly luck: Random;
  private readonly proposer = createSearchSpaceProposer();
  /** By node, and all that were claimed. */
  private readonly experiments = new Map<string, Experiment>();
  private readonly claims = new Set<string>();
  private readonly past: PastNode[] = [];
  private readonly settled = new Map<string, number>();
  private state: StageState;
  private busy: Busy[] = [];

  constructor(world: PlantedWorld) {
    this.world = world;
    this.plan = planOf(world);
    this.definition = definitionOf(this.plan, world.stage);
    this.strategy = strategyOfStage(this.plan, this.definition);
    this.luck = randomStream(this.plan.seed, 'planted');
    const { metric, numWorkers: workers } = this.plan;
    const strategy: unknown = this.strategy.initial();
    this.state = initialStageState({ direction: metric.direction, nextNode: 2, nextSeq: 0, workers, strategy });
    this.base = world.stage === 'initial_implementation' ? null : this.open();
  }

  get best(): { id: NodeId; metric: number } | undefined {
    return bestNode(this.state.journal, this.plan.metric.direction);
  }

  async run(): Promise<void> {
    const isBarrier = this.plan.schedule === 'barrier';
    for (;;) {
      const mayGive = completion(this.input()) === null && (!isBarrier || this.busy.length === 0);
      if (mayGive) await this.giveOut();
      if (this.busy.length === 0) return;
      if (isBarrier) for (const done of this.busy.splice(0)) this.finish(done);
      else this.busy.splice(this.luck.below(this.busy.length), 1).forEach((done) => this.finish(done));
    }
  }

  private open(): Node {
    const { planted, stage } = this.world;
    const experiment = defaultExperiment(planted);
    const item = nodeItem('draft', null, null, 0);
    const node = this.judged({ id: nodeId(1), stage, item, parent: undefined, label: 'default', changed: [] }, experiment);
    this.state = { ...this.state, activeKeys: activeKeys(planted.task, experiment.parameters) };
    this.state = withOutcome(this.state, null, { kind: 'base', node, evaluations: [] });
    this.remember(node, experiment);
    return node;
  }

  private input(): PolicyInput {
    const { journal, tried, exhausted, dispatched, activeKeys: active, wishes } = this.state;
    const inFlight = this.busy.map(({ item }) => item);
    const { plan, definition: stage } = this;
    return { plan, stage, journal, inFlight, tried, exhausted, dispatched, activeKeys: active, wishes };
  }

  private async giveOut(): Promise<void> {
    const taken = this.busy.map(({ unit }) => unit.worker);
    const free = this.state.rounds.map((_, worker) => worker).filter((worker) => !taken.includes(worker));
    const { strategy } = this.state;
    const [merges, base] = [this.strategy.merges(strategy), this.strategy.base(strategy)];
    const wants = { want: this.strategy.lookahead(free.length), merges, base };
    const backlog = backlogOf(policyNamed(this.plan.search.policy), this.input(), wants);
    const { journal, rounds } = this.state;
    const planned = this.strategy.plan(this.state.strategy, {
      nWorkers: rounds.length,
      free,
      roundOf: rounds,
      keys: backlog.map(({ id }) => id),
      inFlight: this.busy.map(({ item }) => item.id),
      facts: Object.fromEntries(backlog.map((item) => [item.id, factsOf(item, journal, this.plan)])),
      components: changeable(this.plan.components, this.state.activeKeys),
    });
    this.state = { ...this.state, strategy: z.json().parse(planned.state) };
    for (const unit of planned.units) {
      const item = backlog.find(({ id }) => id === unit.keys[0]);
      if (item !== undefined) await this.start(unit, item);
    }
  }

  private async start(unit: WorkUnit, item: NodeItem): Promise<void> {
    const node = nodeId(this.state.nextNode);
    this.given.push({ item, unit, family: factsOf(item, this.state.journal, this.plan).family });
    this.state = withDispatched(this.state, unit.worker, item);
    const context = this.contextOf(unit, item, node);
    const proposal = item.operator === 'merge' ? this.union(context) : await this.proposer.propose(context);
    this.busy.push({ unit, item, made: this.answer(proposal, context) });
  }

  private contextOf({ mayChange }: WorkUnit, item: NodeItem, node: NodeId): ProposalContext {
    const { planted, stage, kept = [] } = this.world;
    const all = Object.keys(planted.task.components);
    const isFree = item.operator === 'draft' || kept.length === 0;
    return {
      task: planted.task,
      metric: this.plan.metric,
      stage,
      node,
      item,
      base: this.experiments.get(item.parent ?? '') ?? defaultExperiment(planted),
      parent: this.past.find(({ id }) => id === item.parent) ?? null,
      past: [...this.past],
      pending: Math.max(0, item.ordinal - (this.settled.get(workKeyOf(item)) ?? 0)),
      allowedKeys: isFree ? (mayChange?.slice() ?? null) : (mayChange ?? all).filter((key) => !kept.includes(key)),
      seed: this.plan.seed,
      signal: new AbortController().signal,
    };
  }

  private union({ task, base, item }: ProposalContext): UnionProposal {
    const parts = (item.target ?? '').split('+').flatMap((id) => {
      const experiment = this.experiments.get(id);
      return experiment === undefined ? [] : [{ id: nodeId(Number(id.slice(1))), experiment }];
    });
    return unite(task, base, parts);
  }

  private answer(proposal: UnionProposal, { task, base, item, node, stage, allowedKeys }: ProposalContext): Worked {
    if (proposal.status === 'malformed') throw new Error(`${item.id}: ${proposal.message}`);
    if (proposal.status === 'conflict') return dropped(item, 'conflict');
    if (proposal.status === 'exhausted') return dropped(item, allowedKeys === null ? 'exhausted' : 'section_exhausted');
    if (strayKeys(proposal.edit, base, allowedKeys).length > 0) return dropped(item, 'section_violation');
    const problem = editProblem(proposal.edit, { task, base, mayBeEmpty: item.parent === null });
    if (problem !== null) throw new Error(`${item.id}: ${problem}`);
    const experiment = editedExperiment(task, base, proposal.edit);
    if (this.claims.has(refOf(experiment))) return dropped(item, 'duplicate');
    this.claims.add(refOf(experiment));
    const [parent, changed] = [findNode(this.state.journal, item.parent), changedKeys(task, base, experiment)];
    const made = this.judged({ id: node, stage, item, parent, label: proposal.label, changed }, experiment);
    return { outcome: { kind: 'node', node: made, plan: proposal.plan, evaluations: [] }, experiment };
  }

  private judged(draft: NodeDraft, experiment: Experiment): Node {
    const metric = this.world.planted.worth(experiment.parameters);
    const scores = Object.fromEntries(this.definition.datasets.map((dataset) => [dataset, metric]));
    return { ...nodeCore(draft), experiment: refOf(experiment), status: 'good', metric, scores };
  }

  private finish({ unit, item, made: { outcome, experiment } }: Busy): void {
    const facts = factsOf(item, this.state.journal, this.plan);
    const gain = gainOf(this.state, outcome, this.plan.metric.direction);
    const isExhausted = outcome.kind === 'dropped' && /exhausted/.test(outcome.reason);
    const node = outcome.kind === 'node' ? outcome.node : null;
    const seen = { status: node?.status ?? 'dropped', gain, node: node?.id ?? null, facts, isExhausted } as const;
    this.state = { ...this.state, strategy: z.json().parse(this.strategy.observe(this.state.strategy, unit, item.id, seen)) };
    this.state = withOutcome(this.state, item, outcome);
    this.settled.set(workKeyOf(item), (this.settled.get(workKeyOf(item)) ?? 0) + 1);
    if (outcome.kind === 'dropped') this.dropped.push({ item, reason: outcome.reason });
    if (node === null || experiment === null) return;
    this.remember(node, experiment);
    this.made.push({ node, item, unit, point: experiment.parameters, gain });
  }

  private remember(node: Node, experiment: Experiment): void {
    const { id, stage, operator, parent, label } = node;
    if (node.status !== 'good') throw new TypeError(`${id} is not good`);
    this.experiments.set(id, experiment);
    this.claims.add(refOf(experiment));
    const { parameters } = experiment;
    this.past.push({ id, stage, operator, parent, label, parameters, metric: node.metric, scores: node.scores, failure: null });
  }
}

function planOf({ planted: { task }, config }: PlantedWorld): RunPlan {
  const runConfig = RunConfig.parse({ task: task.name, ...config });
  const { devices, searchAttributes } = testPlan();
  const facts = { config: runConfig, task, devices, runId: RunId.parse('planted'), queuePrefix: '', searchAttributes };
  return planRun(facts).plan;
}

function definitionOf({ stages }: RunPlan, name: StageName): StageDefinition {
  const definition = stages.find((stage) => stage.name === name);
  if (definition === undefined) throw new TypeError(`there is no stage ${name}`);
  return definition;
}

function defaultExperiment({ task }: Planted): Experiment {
  return { v: 1, parameters: defaultParameters(task), files: {} };
}

function refOf(experiment: Experiment): Ref {
  return Ref.parse(createHash('sha256').update(canonicalText(experiment)).digest('hex').slice(0, 32));
}

function dropped(item: NodeItem, reason: DropReason): Worked {
  return { outcome: { kind: 'dropped', item: item.id, reason, message: '' }, experiment: null };
}
