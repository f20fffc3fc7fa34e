import { isCancellation, sleep } from '@temporalio/workflow';
import type { Device } from '../domain/device.ts';
import { EvaluationResult, evaluationActivityId, type EvaluateInput, type EvaluationRecord } from '../domain/evaluation.ts';
import { clip } from '../domain/failure.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import { nextStep, type Try } from '../domain/tries.ts';
import { onDevice } from './activity-proxies.ts';
import type { DevicePool, DeviceWish } from './devices.ts';
import { readProblem, type ActivityProblem } from './failures.ts';

/** What evaluations of an item need around them. */
export interface EvaluationContext {
  readonly plan: RunPlan;
  readonly pool: DevicePool;
  /** Told what is going on, for `status`. */
  readonly doing: (text: string) => void;
  /** What the evaluation is for, in the Web UI: `improve n17`. */
  readonly title: string;
}

/** What is to be evaluated, on which dataset and seed. */
export type EvaluationRequest = Omit<EvaluateInput, 'runId' | 'dispatch'>;

/**
 * One evaluation, on whatever device is free. A try without a result is followed by another one, under a new
 * activity id, as domain/tries.ts decides; one that is given up counts as failed.
 */
export function evaluate(context: EvaluationContext, request: EvaluationRequest): Promise<EvaluationRecord> {
  return context.pool.isWatched ? tryUntilDone(context, request) : evaluateAsBefore(context, request);
}

/** The evaluations of one experiment on several datasets, one after the other, up to the first that fails. */
export async function evaluateInTurn(
  context: EvaluationContext,
  requests: readonly EvaluationRequest[],
): Promise<EvaluationRecord[]> {
  const records: EvaluationRecord[] = [];
  for (const request of requests) {
    const record = await evaluate(context, request);
    records.push(record);
    if (record.result.status === 'failed') break;
  }
  return records;
}

async function tryUntilDone(context: EvaluationContext, request: EvaluationRequest): Promise<EvaluationRecord> {
  const { plan, pool } = context;
  const tries: Try[] = [];
  let wish: DeviceWish = { avoid: new Set(), ratherNot: new Set() };
  let problem: ActivityProblem | null = null;
  for (;;) {
    const dispatch = tries.length + 1;
    const tried = await tryOnce(context, { ...request, runId: plan.runId, dispatch }, wish);
    if (tried.kind === 'result') return { dataset: request.dataset, seed: request.seed, result: tried.result };
    tries.push({ device: tried.device.queue, ended: tried.kind === 'problem' ? tried.problem.ended : 'interrupted' });
    problem = tried.kind === 'problem' ? tried.problem : problem;
    const next = nextStep(tries, { maxDispatches: plan.exec.maxDispatches, devices: pool.devices.length });
    if (next.kind === 'give up') {
      const message = `given up after ${dispatch} tries: ${problem?.text ?? 'it was interrupted each time'}`;
      return givenUp(request, { reason: next.reason, message, device: tried.device, dispatch });
    }
    wish = next;
    if (problem?.ended === 'no_space') context.doing('waiting for space on the disk');
    if (next.pauseMs > 0) await sleep(next.pauseMs);
  }
}

type Tried =
  | { readonly kind: 'result'; readonly result: EvaluationResult }
  | { readonly kind: 'problem'; readonly device: Device; readonly problem: ActivityProblem }
  | { readonly kind: 'interrupted'; readonly device: Device };

/** One dispatch. Throws only when the item itself is cancelled. */
async function tryOnce(context: EvaluationContext, input: EvaluateInput, wish: DeviceWish): Promise<Tried> {
  context.doing('waiting for a device');
  const used = await context.pool.use(wish, async (device): Promise<Tried> => {
    context.doing(`${input.kind === 'plot' ? 'plot, ' : ''}${input.dataset} on ${device.name}`);
    try {
      return { kind: 'result', result: await evaluateOn(context, device, input) };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { kind: 'problem', device, problem: readProblem(error) };
    }
  });
  if (used.kind === 'interrupted') return used;
  return used.value;
}

/** As releases before 0.2.0 did it, for executions that were begun by them: Temporal counts two tries of a dispatch. */
async function evaluateAsBefore(context: EvaluationContext, request: EvaluationRequest): Promise<EvaluationRecord> {
  const tried = new Set<string>();
  for (let dispatch = 1; ; dispatch++) {
    context.doing('waiting for a device');
    const device = await context.pool.take(tried);
    try {
      context.doing(`${request.kind === 'plot' ? 'plot, ' : ''}${request.dataset} on ${device.name}`);
      const result = await evaluateOn(context, device, { ...request, runId: context.plan.runId, dispatch });
      return { dataset: request.dataset, seed: request.seed, result };
    } catch (error) {
      if (isCancellation(error)) throw error;
      const problem = readProblem(error);
      tried.add(device.queue);
      if (problem.ended === 'final' || dispatch >= context.plan.exec.maxDispatches) {
        const message = `given up after ${dispatch} ${dispatch === 1 ? 'dispatch' : 'dispatches'}: ${problem.text}`;
        return givenUp(request, { reason: 'infrastructure', message, device, dispatch });
      }
    } finally {
      context.pool.giveBack(device);
    }
  }
}

async function evaluateOn(context: EvaluationContext, device: Device, input: EvaluateInput): Promise<EvaluationResult> {
  const summary = `${context.title}, ${input.dataset} seed ${input.seed}, ${device.name}`;
  const tries = context.pool.isWatched ? 1 : 2;
  const activities = onDevice(context.plan, device, { activityId: evaluationActivityId(input), summary, tries });
  return EvaluationResult.parse(await activities.evaluate(input));
}

function givenUp(
  request: EvaluationRequest,
  last: { reason: 'infrastructure' | 'poison'; message: string; device: Device; dispatch: number },
): EvaluationRecord {
  return {
    dataset: request.dataset,
    seed: request.seed,
    result: {
      status: 'failed',
      reason: last.reason,
      message: clip(last.message, 600),
      exitCode: null,
      signal: null,
      evaluation: null,
      attempt: `${last.dispatch}.0`,
      device: last.device.name,
      durationMs: 0,
      peakMemoryMiB: null,
      figures: 0,
      cached: false,
    },
  };
}
