import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { StageName } from '../../src/domain/ids.ts';
import type { StageStatus } from '../../src/domain/messages.ts';
import { until, type Gate } from './gate.ts';
import type { TemporalServer } from './temporal-server.ts';
import { valueOf, type LabActivities, type Research, type WorkflowLab } from './workflow-lab.ts';

/** What tests of steering share: evaluations that wait for the test, and looks at a run. */

/** Evaluations that wait for a gate, and end early when they are cancelled. */
export function held(
  by: Gate,
  isHeld: (input: EvaluateInput) => boolean = () => true,
  value: (input: EvaluateInput) => number = valueOf,
): LabActivities {
  return {
    evaluate: async (input) => {
      if (!isHeld(input)) return value(input);
      const context = Context.current();
      const beat = setInterval(() => {
        context.heartbeat();
      }, 100);
      try {
        await Promise.race([by.passed, context.cancelled]);
      } finally {
        clearInterval(beat);
      }
      return value(input);
    },
  };
}

/** The workflow of a stage. */
export function stageOf(server: TemporalServer, runId: string, stage: StageName = 'initial_implementation'): WorkflowHandle {
  return server.client.workflow.getHandle(`${runId}/${stage}`);
}

/** What a stage is doing. */
export function stageStatusOf(stage: WorkflowHandle): Promise<StageStatus> {
  return stage.query<StageStatus>('status');
}

/** Sends an update. */
export function update(to: Pick<WorkflowHandle, 'executeUpdate'>, name: string, payload: unknown): Promise<unknown> {
  return to.executeUpdate(name, { args: [payload] });
}

/** The reason with which an update is refused; fails when it is accepted. */
export async function refusalOf(to: Pick<WorkflowHandle, 'executeUpdate'>, name: string, payload: unknown): Promise<string> {
  const outcome: unknown = await update(to, name, payload).then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome.cause instanceof Error ? outcome.cause.message : outcome.message;
  throw new Error(`${name} ${JSON.stringify(payload)} was accepted`);
}

/** Waits until so many evaluations were begun. */
export async function untilHeld({ lab }: Pick<Research, 'lab'>, count = 2): Promise<void> {
  await until(() => lab.evaluated.length >= count);
}

/** What people did, as the journal has it. */
export function steeringOf(lab: Pick<WorkflowLab, 'events'>): string[] {
  return lab.events.flatMap((event) => (event.kind === 'steered' ? [event.message] : []));
}
