import type { EvaluateInput, EvaluationResult } from './evaluation.ts';
import type { Ref, RunId } from './ids.ts';
import type { JournalEnd, JournalEndInput } from './journal-end.ts';
import type { RecordEventInput, WriteReportInput } from './messages.ts';
import type { ProposeInput, ProposeResult } from './proposal.ts';
import type { ResearchInput, RunPlan } from './run-plan.ts';
import type { WatchInput, WatchReport } from './watch.ts';

/**
 * The activities, as workflows see them: names and shapes are contract (`activities/` implements them).
 * Every argument is one object; every result is at most 4 KiB, the run plan at most 64 KiB.
 */

/** Short activities on the control queue. */
export interface ControlActivities {
  /** Reads and checks the config, fixes everything that the run needs in `run.json`, and gives the plan. */
  resolveRun(input: ResearchInput): Promise<RunPlan>;
  /** The component keys that count under an experiment's parameters, sorted; `intact` are those not at their ablated value. */
  activeComponents(input: { runId: RunId; experiment: Ref }): Promise<{ keys: string[]; intact: string[] }>;
  /** Writes one journal event under its number; writing it again changes nothing. */
  recordEvent(input: RecordEventInput): Promise<void>;
  /** Where the journal ends, for a run that lost a stage. */
  journalEnd(input: JournalEndInput): Promise<JournalEnd>;
  /** Writes the report, the journal in one file and the best program. */
  writeReport(input: WriteReportInput): Promise<{ report: string }>;
  /** Ends when a device of the run is lost, back or new, or after an hour. */
  watchDevices(input: WatchInput): Promise<WatchReport>;
}

/** Activities on the proposals queue. */
export interface ProposalActivities {
  /** Makes the edit of a node. */
  propose(input: ProposeInput): Promise<ProposeResult>;
}

/** Activities on a device's queue. */
export interface DeviceActivities {
  /** Runs one evaluation on the device of the queue. */
  evaluate(input: EvaluateInput): Promise<EvaluationResult>;
}
