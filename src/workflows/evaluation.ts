import { isCancellation } from '@temporalio/workflow';
import type { Device } from '../domain/device.ts';
import { EvaluationResult, evaluationActivityId, type EvaluateInput, type EvaluationRecord } from '../domain/evaluation.ts';
import { clip } from '../domain/failure.ts';
import type { DeviceName } from '../domain/ids.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import { onDevice } from './activity-proxies.ts';
import type { DevicePool } from './devices.ts';
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
 * One evaluation, on whatever device is free. A platform failure sends it to another device under a new
 * activity id, at most `exec.maxDispatches` times; then it counts as failed with reason `infrastructure`.
 */
export async function evaluate(context: EvaluationContext, request: EvaluationRequest): Promise<EvaluationRecord> {
  const tried = new Set<DeviceName>();
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
      tried.add(device.name);
      if (!problem.elsewhere || dispatch >= context.plan.exec.maxDispatches)
        return givenUp(request, { device, dispatch, problem });
    } finally {
      context.pool.giveBack(device);
    }
  }
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

async function evaluateOn(context: EvaluationContext, device: Device, input: EvaluateInput): Promise<EvaluationResult> {
  const summary = `${context.title}, ${input.dataset} seed ${input.seed}, ${device.name}`;
  const activities = onDevice(context.plan, device, { activityId: evaluationActivityId(input), summary });
  return EvaluationResult.parse(await activities.evaluate(input));
}

function givenUp(
  request: EvaluationRequest,
  last: { device: Device; dispatch: number; problem: ActivityProblem },
): EvaluationRecord {
  return {
    dataset: request.dataset,
    seed: request.seed,
    result: {
      status: 'failed',
      reason: 'infrastructure',
      message: clip(
        `given up after ${last.dispatch} ${last.dispatch === 1 ? 'dispatch' : 'dispatches'}: ${last.problem.text}`,
        600,
      ),
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
