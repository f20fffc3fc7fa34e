import type { Device } from './device.ts';
import type { DeviceSpec, FoundDevices, FoundGpu } from './device-spec.ts';

/**
 * Which of the devices that have a worker now a run takes. A run only names devices: whoever started it, or
 * `scientist up`, hosts them.
 */

/** The devices of a run, and those that were asked for but have no worker. */
export interface HostedChoice {
  readonly devices: Device[];
  /** In words, e.g. `1 CPU slot`, `gpu:3`. */
  readonly missing: string[];
}

/** Picks from the hosted devices; `found` resolves the numbers of this host's GPUs. The order is fixed. */
export function pickHosted(spec: DeviceSpec, hosted: readonly Device[], found: Pick<FoundDevices, 'gpus'>): HostedChoice {
  const sorted = [...hosted].sort((a, b) => compareWords(sortKey(a), sortKey(b)));
  const gpus = sorted.filter((device) => device.kind === 'gpu');
  const slots = sorted.filter((device) => device.kind === 'cpu');
  switch (spec.kind) {
    case 'auto':
      return { devices: gpus.length > 0 ? gpus : slots, missing: [] };
    case 'cpu':
      return pickSlots(slots, spec.slots);
    case 'gpu':
      return pickGpus(gpus, spec.entries, found.gpus);
  }
}

function pickSlots(slots: readonly Device[], wanted: number | null): HostedChoice {
  const devices = slots.slice(0, wanted ?? slots.length);
  const lacking = (wanted ?? 0) - devices.length;
  return { devices, missing: lacking > 0 ? [`${lacking} CPU slot${lacking === 1 ? '' : 's'}`] : [] };
}

function pickGpus(gpus: readonly Device[], entries: readonly string[], found: readonly FoundGpu[]): HostedChoice {
  if (entries.length === 0) return { devices: [...gpus], missing: [] };
  const chosen = entries.map((entry) => {
    const uuid = found.find((gpu) => String(gpu.index) === entry)?.uuid ?? entry;
    return gpus.find((gpu) => gpu.uuid?.toLowerCase().startsWith(uuid.toLowerCase()) === true);
  });
  const missing = entries.filter((_, index) => chosen[index] === undefined).map((entry) => `gpu:${entry}`);
  return { devices: [...new Set(chosen.filter((device) => device !== undefined))], missing };
}

/** Numbers in names count as numbers: cpu2 stands before cpu10. */
function sortKey({ host, name }: Device): string {
  return `${host}/${name.replaceAll(/\d+/g, (digits) => digits.padStart(8, '0'))}`;
}

function compareWords(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
