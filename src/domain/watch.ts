import { z } from 'zod';
import { Device } from './device.ts';
import { RunId } from './ids.ts';

/**
 * Watching the devices of a run: what the watcher is told and what it reports. It ends when something is
 * other than it was told, so a stage pays a few events for each change and none while all is well.
 */

const Queue = z.string().max(250);

/** A device whose worker has been silent for too long. */
export const LostDevice = z.strictObject({
  queue: Queue,
  /** When it was last heard of, ISO 8601. */
  silentSince: z.string().max(40),
});
export type LostDevice = z.infer<typeof LostDevice>;

/** Input of `watchDevices`: what the stage believes. The run's devices are in `run.json`. */
export const WatchInput = z.strictObject({
  runId: RunId,
  /** Devices that came after the run began. */
  added: z.array(Device).max(1000),
  /** Queues of the devices that are believed lost. */
  lost: z.array(Queue).max(1000),
  /** Silence after which a device is lost, milliseconds. */
  silentMs: z.number().int().min(1),
});
export type WatchInput = z.infer<typeof WatchInput>;

/** What is other than the stage believes; all empty when nothing changed for a long time. */
export const WatchReport = z.strictObject({
  lost: z.array(LostDevice).max(1000),
  /** Queues of lost devices that are back. */
  returned: z.array(Queue).max(1000),
  /** Devices that the run's `devices` asks for and that have a worker only now. */
  added: z.array(Device).max(1000),
});
export type WatchReport = z.infer<typeof WatchReport>;

/** Whether a report says nothing. */
export function isQuiet({ lost, returned, added }: WatchReport): boolean {
  return lost.length + returned.length + added.length === 0;
}

/** Why work waits for a device, in one line with what to do. */
export function waitText(devices: readonly Device[], lost: ReadonlyMap<string, LostDevice>): string {
  if (devices.some(({ queue }) => !lost.has(queue))) return `a free device: all ${devices.length - lost.size} are in use`;
  const silent = devices.slice(0, 3).map(({ name, queue }) => `${name} since ${lost.get(queue)?.silentSince ?? 'the start'}`);
  const more = devices.length > silent.length ? ` and ${devices.length - silent.length} more` : '';
  return `a device: no sign of ${silent.join(', ')}${more}; start its worker: scientist up`;
}
