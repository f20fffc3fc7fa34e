import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../domain/activities.ts';
import { controlQueue, proposalsQueue, type Device } from '../domain/device.ts';
import type { RunPlan } from '../domain/run-plan.ts';

/**
 * Every time-out and retry policy of the system, in one table.
 *
 * | activity | may run | heartbeat | tries | why |
 * | --- | --- | --- | --- | --- |
 * | resolveRun | 2 min | 15 s | 3 | reads files and asks the server; what is wrong with the config ends it at once |
 * | recordEvent, activeComponents | 1 min | 15 s | no end | small files; only a full or broken disk fails them, and a run waits for that to be mended |
 * | writeReport | 5 min | 30 s | 5 | reads everything, writes a few files |
 * | propose | proposer.timeout | 30 s | 4 | a model may be away for a while; who refuses for good fails at once |
 * | evaluate | exec.timeout + grace + 2 min | exec.heartbeat_timeout | 2 | on the same queue after a lost worker; then the stage goes to another device |
 *
 * Workers beat for activities that have nothing to tell, so a killed worker costs seconds. A second try of all
 * but `evaluate` costs nothing; that one beats for longer than a server's restart takes. Waiting in a queue is
 * not an error, so schedule-to-start is not limited. Cancellation always waits until the activity has ended:
 * the SDK's default lets the workflow go on while a program still holds its device.
 */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/** A mistyped or missing activity is final, and the message names it. */
const NEVER_RETRIED = ['NotFoundError'];

/** The activity that resolves a run, before there is a plan; it runs on the workflow's own queue. */
export function resolver(): Pick<ControlActivities, 'resolveRun'> {
  return proxyActivities<Pick<ControlActivities, 'resolveRun'>>({
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: '15s',
    cancellationType,
    summary: 'read and check the config',
    retry: { maximumAttempts: 3, initialInterval: '1s', nonRetryableErrorTypes: NEVER_RETRIED },
  });
}

/** Short activities that keep the run's files. */
export function control(plan: RunPlan, summary: string): Pick<ControlActivities, 'recordEvent' | 'activeComponents'> {
  return proxyActivities<Pick<ControlActivities, 'recordEvent' | 'activeComponents'>>({
    taskQueue: controlQueue(plan.queuePrefix),
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '15s',
    cancellationType,
    summary: summary.slice(0, 100),
    retry: { initialInterval: '1s', maximumInterval: '30s', nonRetryableErrorTypes: NEVER_RETRIED },
  });
}

/** The activity that writes the report. */
export function reporter(plan: RunPlan): Pick<ControlActivities, 'writeReport'> {
  return proxyActivities<Pick<ControlActivities, 'writeReport'>>({
    taskQueue: controlQueue(plan.queuePrefix),
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '30s',
    cancellationType,
    summary: 'write the report',
    retry: { maximumAttempts: 5, initialInterval: '1s', nonRetryableErrorTypes: NEVER_RETRIED },
  });
}

/** The activity that makes an edit. */
export function proposals(plan: RunPlan, options: { activityId: string; summary: string }): ProposalActivities {
  return proxyActivities<ProposalActivities>({
    ...options,
    summary: options.summary.slice(0, 100),
    taskQueue: proposalsQueue(plan.queuePrefix),
    startToCloseTimeout: plan.exec.proposalTimeoutMs,
    heartbeatTimeout: '30s',
    cancellationType,
    retry: { maximumAttempts: 4, initialInterval: '2s', maximumInterval: '2 minutes', nonRetryableErrorTypes: NEVER_RETRIED },
    priority: { priorityKey: plan.priority },
  });
}

/** The activity that runs an evaluation, on the queue of one device. */
export function onDevice(plan: RunPlan, device: Device, options: { activityId: string; summary: string }): DeviceActivities {
  return proxyActivities<DeviceActivities>({
    ...options,
    summary: options.summary.slice(0, 100),
    taskQueue: device.queue,
    startToCloseTimeout: plan.exec.timeoutMs + plan.exec.graceMs + 120_000,
    heartbeatTimeout: plan.exec.heartbeatTimeoutMs,
    cancellationType,
    retry: { maximumAttempts: 2, initialInterval: '1s', nonRetryableErrorTypes: NEVER_RETRIED },
    priority: { priorityKey: plan.priority, fairnessKey: plan.runId },
  });
}
