import type { Home } from '../adapters/layout.ts';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../domain/activities.ts';
import type { Device } from '../domain/device.ts';
import { makeActiveComponents } from './active-components.ts';
import { makeDeviceHealth, type DeviceHealth } from './device-health.ts';
import { makeEvaluate } from './evaluate.ts';
import { makeJournalEnd } from './journal-end.ts';
import { temporalWriter } from './journal-writer.ts';
import { makePropose } from './propose.ts';
import { makeRecordEvent } from './record-event.ts';
import { makeResolveRun, type ResolveRunDeps } from './resolve-run.ts';
import { makeWatchDevices, type WatchDeps } from './watch-devices.ts';
import { withRepair, type RepairDeps } from './with-repair.ts';
import { makeWriteReport } from './write-report.ts';

/** The activities, by the worker that serves them. */

/** The short activities of the control worker. */
export function createControlActivities(deps: ResolveRunDeps & WatchDeps & RepairDeps): ControlActivities {
  return {
    resolveRun: makeResolveRun(deps),
    activeComponents: makeActiveComponents(deps),
    recordEvent: makeRecordEvent({ ...deps, writer: temporalWriter }),
    journalEnd: makeJournalEnd(deps),
    writeReport: withRepair(deps, makeWriteReport({ ...deps, mustBeWhole: true }), makeWriteReport(deps)),
    watchDevices: makeWatchDevices(deps),
  };
}

/** The activity of the proposals worker. */
export function createProposalActivities(deps: RepairDeps): ProposalActivities {
  return { propose: withRepair(deps, makePropose(deps)) };
}

/** The activities of a device's worker, by its two queues. */
export function createDeviceActivities(deps: { readonly home: Home; readonly device: Device }): {
  readonly evaluation: DeviceActivities;
  readonly health: { deviceHealth: () => Promise<DeviceHealth> };
} {
  const { evaluate, deviceHealth } = makeDeviceHealth(deps.device.name, makeEvaluate(deps));
  return { evaluation: { evaluate }, health: { deviceHealth } };
}
