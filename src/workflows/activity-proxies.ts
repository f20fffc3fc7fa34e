import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../domain/activities.ts';
import { controlQueue, proposalsQueue, type Device } from '../domain/device.ts';
import type { RunPlan } from '../domain/run-plan.ts';

/**
 * Every time-out and retry policy of the system, in one table.
 *
 * | activity | may run | heartbeat | tries | why |
 * | --- | --- | --- | --- | --- |
 * | resolveRun | 2 min | 15 s | 10 | reads files and asks the server; what is wrong with the config ends it at once; a killed worker counts as a try |
 * | recordEvent, activeComponents, journalEnd | 1 min | 15 s | no end | small files; only a full or broken disk fails them, and a run waits for that to be mended |
 * | writeReport | 5 min | 30 s | 10 | reads everything, writes a few files; a killed worker counts as a try |
 * | propose | proposer.timeout | 30 s | 4 | a model may be away for a while; who refuses for good fails at once |
 * | evaluate | 2 × (exec.timeout + grace) + 3 min | exec.heartbeat_timeout | 1 | the stage counts the tries itself (domain/tries.ts), since only it knows another device |
 * | watchDevices | 1 h + 5 min | 15 s | no end | looks on; ends when a device is lost, back or new, or after an hour |
 *
 * Classes of failure. The platform's (a lost worker, a full disk): bounded, then another device, then a node with
 * reason `infrastructure` or `poison`. The candidate's: never tried again, a result. The model's: bounded, with
 * growing pauses. Refused keys, used-up quota, input that does not fit: at once. What has no end of tries shows
 * its last failure in `scientist status` and among the pending activities of the Web UI.
 *
 * An evaluation may take twice its limit because another device's attempt at it may have to be waited for first.
 * Workers beat for activities that have nothing to tell, so a killed worker costs seconds. A second try of all
 * but `evaluate` costs nothing; that one beats for longer than a server's restart takes. Waiting in a queue is
 * not an error, so schedule-to-start is not limited. Cancellation waits until the activity has ended: the
 * SDK's default lets the workflow go on while a program still holds its device. Only `watchDevices` is not
 * waited for: it holds nothing, and a stage must not end later because of it.
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
    retry: { maximumAttempts: 10, initialInterval: '1s', maximumInterval: '5s', nonRetryableErrorTypes: NEVER_RETRIED },
  });
}

type JournalActivities = Pick<ControlActivities, 'recordEvent' | 'activeComponents' | 'journalEnd'>;

/** Short activities that keep the run's files. */
export function control(plan: RunPlan, summary: string): JournalActivities {
  return proxyActivities<JournalActivities>({
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
    retry: { maximumAttempts: 10, initialInterval: '1s', maximumInterval: '5s', nonRetryableErrorTypes: NEVER_RETRIED },
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

/** The activity that ends when a device of the run is lost, back or new. */
export function watcher(plan: RunPlan): Pick<ControlActivities, 'watchDevices'> {
  return proxyActivities<Pick<ControlActivities, 'watchDevices'>>({
    taskQueue: controlQueue(plan.queuePrefix),
    startToCloseTimeout: '65 minutes',
    heartbeatTimeout: '15s',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    summary: 'watch the devices',
    retry: { initialInterval: '1s', maximumInterval: '30s', nonRetryableErrorTypes: NEVER_RETRIED },
  });
}

/** The activity that runs an evaluation, on the queue of one device; `tries` of Temporal's own. */
export function onDevice(
  plan: RunPlan,
  device: Device,
  { activityId, summary, tries }: { activityId: string; summary: string; tries: number },
): DeviceActivities {
  return proxyActivities<DeviceActivities>({
    activityId,
    summary: summary.slice(0, 100),
    taskQueue: device.queue,
    startToCloseTimeout: 2 * (plan.exec.timeoutMs + plan.exec.graceMs) + 180_000,
    heartbeatTimeout: plan.exec.heartbeatTimeoutMs,
    cancellationType,
    retry: { maximumAttempts: tries, initialInterval: '1s', nonRetryableErrorTypes: NEVER_RETRIED },
    priority: { priorityKey: plan.priority, fairnessKey: plan.runId },
  });
}
