import { z } from 'zod';
import { EvaluateInput, type EvaluationResult } from '../domain/evaluation.ts';
import { DeviceName } from '../domain/ids.ts';

/** What a device is doing: asked on its health queue, which is polled even while the device is busy. */

/** Answer of `deviceHealth`. */
export const DeviceHealth = z.strictObject({
  device: DeviceName,
  /** Process of the device worker. */
  pid: z.number().int(),
  /** When the worker started, ISO 8601. */
  startedAt: z.string(),
  /** The evaluation that runs now, and for how long; `null` when the device is free. */
  running: z.strictObject({ input: EvaluateInput, elapsedMs: z.number().min(0) }).nullable(),
});
export type DeviceHealth = z.infer<typeof DeviceHealth>;

/** The evaluate activity of a device. */
export type Evaluate = (input: EvaluateInput) => Promise<EvaluationResult>;

/** Puts a watch on a device's evaluate activity and gives the health activity that tells what it sees. */
export function makeDeviceHealth(
  device: DeviceName,
  evaluate: Evaluate,
): { evaluate: Evaluate; deviceHealth: () => Promise<DeviceHealth> } {
  const startedAt = new Date().toISOString();
  let running: { input: EvaluateInput; since: number } | null = null;
  return {
    async evaluate(input) {
      running = { input, since: performance.now() };
      try {
        return await evaluate(input);
      } finally {
        running = null;
      }
    },
    deviceHealth() {
      const now = running === null ? null : { input: running.input, elapsedMs: Math.round(performance.now() - running.since) };
      return Promise.resolve({ device, pid: process.pid, startedAt, running: now });
    },
  };
}
