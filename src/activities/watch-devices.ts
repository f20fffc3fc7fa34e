import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Home } from '../adapters/layout.ts';
import { findDevices } from '../adapters/list-devices.ts';
import { loadRun } from '../adapters/run-store.ts';
import { deviceQueue, type Device } from '../domain/device.ts';
import { parseDeviceSpec } from '../domain/device-spec.ts';
import { pickHosted } from '../domain/hosted-devices.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { afterLook, type Silence } from '../domain/silence.ts';
import { isQuiet, WatchInput, type WatchReport } from '../domain/watch.ts';
import { asActivity } from './attempt.ts';

/**
 * Watches the devices of a run and ends when something is other than its stage believes, or after an hour.
 *
 * V1 Only silence that was really watched counts: a server that is away, a machine that slept or a watcher that
 *    was replaced makes no device lost.
 */

/** What the activity needs of its worker. */
export interface WatchDeps {
  readonly home: Home;
  /** The devices that have a worker now. */
  readonly hostedDevices: () => Promise<Device[]>;
  /** The latest sign of life of each device that gave one, by queue; it differs from the one before if the device lives. */
  readonly signsOfLife: (devices: readonly Device[]) => Promise<ReadonlyMap<string, string>>;
  /** How often it looks, milliseconds. */
  readonly pollMs?: number;
  /** After this long it ends in any case, milliseconds. */
  readonly limitMs?: number;
}

const POLL_MS = 2000;
const LIMIT_MS = 3_600_000;

/** Makes the activity that watches. */
export function makeWatchDevices(deps: WatchDeps): (input: WatchInput) => Promise<WatchReport> {
  return asActivity(WatchInput, (input) => watchDevices(deps, input, Context.current().cancellationSignal));
}

/** Watches until there is news, the limit is reached, or `signal` ends it by an `AbortError`. */
export async function watchDevices(deps: WatchDeps, input: WatchInput, signal: AbortSignal): Promise<WatchReport> {
  const pollMs = deps.pollMs ?? POLL_MS;
  const run = await loadRun(deps.home, input.runId);
  const arrivals = await arrivalsOf(deps, run, input);
  const devices = [...run.plan.devices, ...input.added];
  const end = performance.now() + (deps.limitMs ?? LIMIT_MS);
  let silences = new Map<string, Silence>();
  for (;;) {
    const signs = await deps.signsOfLife(devices);
    silences = new Map(
      devices.map(({ queue }) => {
        const look = { sign: signs.get(queue) ?? null, now: performance.now(), maxStepMs: 2 * pollMs };
        return [queue, afterLook(silences.get(queue), look)];
      }),
    );
    const report = { ...changes(silences, input), added: await arrivals() };
    if (!isQuiet(report) || performance.now() > end) return report;
    await sleep(pollMs, undefined, { signal });
  }
}

/** Who fell silent, and who was heard of again. */
function changes(silences: ReadonlyMap<string, Silence>, { lost, silentMs }: WatchInput): Pick<WatchReport, 'lost' | 'returned'> {
  const believedLost = new Set(lost);
  const all = [...silences];
  return {
    lost: all
      .filter(([queue, silence]) => !believedLost.has(queue) && silence.silentMs >= silentMs)
      .map(([queue, silence]) => ({ queue, silentSince: new Date(Date.now() - silence.silentMs).toISOString() })),
    returned: all.filter(([queue, { heard }]) => believedLost.has(queue) && heard).map(([queue]) => queue),
  };
}

/** The devices that the run asks for, of the kind that it has, and that were not there before. */
async function arrivalsOf(
  { hostedDevices }: WatchDeps,
  { plan, config }: ResolvedRun,
  input: WatchInput,
): Promise<() => Promise<Device[]>> {
  const spec = parseDeviceSpec(config.devices);
  const found = spec.kind === 'gpu' ? await findDevices() : { gpus: [] };
  const known = new Set([...plan.devices, ...input.added].map(({ queue }) => queue));
  const kinds = new Set(plan.devices.map(({ kind }) => kind));
  return async () => {
    const hosted = (await hostedDevices()).filter(
      ({ queue, host, name, kind }) => kinds.has(kind) && queue === deviceQueue(plan.queuePrefix, host, name),
    );
    return pickHosted(spec, hosted, found).devices.filter(({ queue }) => !known.has(queue));
  };
}
