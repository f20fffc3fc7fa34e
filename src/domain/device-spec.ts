import { deviceQueue, type Device } from './device.ts';
import { PlatformFailure } from './failure.ts';
import { DeviceName } from './ids.ts';

/**
 * Which devices a person asks for, and which of those found on the host they are. The text is the value of
 * `devices` in the config and of `--devices`.
 */

/** What a person asks for. `gpu` entries are indices as the vendor's tool shows them, or uuids; empty = all. */
export type DeviceSpec =
  | { readonly kind: 'auto' }
  | { readonly kind: 'cpu'; readonly slots: number | null }
  | { readonly kind: 'gpu'; readonly entries: readonly string[] };

/** A GPU that experiments may use. */
export interface FoundGpu {
  /** Number in the vendor's tool; `null` where only `CUDA_VISIBLE_DEVICES` names it. */
  readonly index: number | null;
  /** What `CUDA_VISIBLE_DEVICES` must be for a program to see this device alone: its uuid, or a number where no tool knows it. */
  readonly uuid: string;
  readonly model: string;
  /** `null` where it is not known. */
  readonly memoryMiB: number | null;
}

/** What the host has. */
export interface FoundDevices {
  /** In the order of the tool, restricted to a preset `CUDA_VISIBLE_DEVICES`. */
  readonly gpus: readonly FoundGpu[];
  /** CPU cores this process may use. */
  readonly cores: number;
  /** What a person should know about the search, one sentence each. */
  readonly notes: readonly string[];
}

/** The devices of a run, with what a person must be told about the choice. */
export interface ChosenDevices {
  readonly devices: Device[];
  readonly warnings: string[];
}

/** CPU slots that `auto` takes at most; more is a decision of the user's. */
const AUTO_CPU_SLOTS = 4;
const MAX_CPU_SLOTS = 512;
const FORMS = 'auto, cpu (one slot per core, 4 at most), cpu:2, gpu (all of them), gpu:0,1 or gpu:GPU-1a2b3c4d';

/**
 * Reads a device specification.
 *
 * @throws PlatformFailure `ConfigInvalid` that names the allowed forms
 */
export function parseDeviceSpec(text: string): DeviceSpec {
  const [kind = '', rest, ...more] = text.trim().split(':');
  if (more.length > 0 || rest === '') throw badSpec(text);
  if (kind === 'auto' && rest === undefined) return { kind };
  if (kind === 'cpu') return { kind, slots: rest === undefined ? null : cpuSlots(text, rest) };
  if (kind === 'gpu') return { kind, entries: rest === undefined ? [] : gpuEntries(text, rest) };
  throw badSpec(text);
}

/**
 * The devices that the specification names on this host, in a fixed order, with names and queues.
 *
 * @throws PlatformFailure `NoDevice` when it asks for a GPU that is not there
 */
export function chooseDevices(
  spec: DeviceSpec,
  found: FoundDevices,
  naming: { host: string; queuePrefix: string },
): ChosenDevices {
  if (spec.kind === 'gpu' || (spec.kind === 'auto' && found.gpus.length > 0)) {
    const gpus = spec.kind === 'gpu' ? wantedGpus(spec.entries, found) : found.gpus;
    return { devices: gpuDevices(gpus, naming), warnings: [...found.notes] };
  }
  const slots = spec.kind === 'cpu' ? spec.slots : null;
  const count = slots ?? Math.min(found.cores, AUTO_CPU_SLOTS);
  const devices = Array.from({ length: count }, (_, number) => cpuDevice(number, naming));
  return { devices, warnings: cpuWarnings(spec, found, count) };
}

/** A host's name as it may stand in a queue: lower case, `a-z0-9.-`, 81 characters at most. */
export function hostLabel(hostname: string): string {
  const label = hostname
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 81);
  return label === '' ? 'localhost' : label;
}

function cpuSlots(text: string, count: string): number {
  const slots = /^\d{1,4}$/.test(count) ? Number(count) : 0;
  if (slots < 1 || slots > MAX_CPU_SLOTS) throw badSpec(text, `the number of CPU slots is 1 to ${MAX_CPU_SLOTS}`);
  return slots;
}

function gpuEntries(text: string, list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim());
  if (!entries.every((entry) => /^(\d{1,3}|(GPU|MIG)-[0-9a-zA-Z/-]{4,80})$/.test(entry))) throw badSpec(text);
  if (new Set(entries).size < entries.length) throw badSpec(text, 'a GPU is named twice');
  return entries;
}

function badSpec(text: string, why = 'it has none of the allowed forms'): PlatformFailure {
  return new PlatformFailure('ConfigInvalid', `devices: "${text}" cannot be used: ${why}.`, `Write one of: ${FORMS}.`);
}

function wantedGpus(entries: readonly string[], found: FoundDevices): readonly FoundGpu[] {
  const there = found.gpus.map((gpu) => (gpu.index === null ? gpu.uuid : String(gpu.index)));
  const listed = there.length === 0 ? 'no GPU was found on this host' : `this host has gpu:${there.join(',')}`;
  const hint = ['Use devices: auto, or cpu:2.', ...found.notes].join(' ');
  if (entries.length === 0 && there.length === 0) throw new PlatformFailure('NoDevice', `devices: gpu, but ${listed}.`, hint);
  if (entries.length === 0) return found.gpus;
  const gpus = entries.map((entry) => {
    const gpu = found.gpus.find((candidate) => isNamed(candidate, entry));
    if (gpu === undefined) throw new PlatformFailure('NoDevice', `devices: gpu:${entry} is not there; ${listed}.`, hint);
    return gpu;
  });
  if (new Set(gpus).size < gpus.length) throw badSpec(`gpu:${entries.join(',')}`, 'a GPU is named twice');
  return gpus;
}

function isNamed(gpu: FoundGpu, entry: string): boolean {
  return /^\d+$/.test(entry) ? String(gpu.index ?? gpu.uuid) === entry : gpu.uuid.toLowerCase().startsWith(entry.toLowerCase());
}

function gpuDevices(gpus: readonly FoundGpu[], { host, queuePrefix }: { host: string; queuePrefix: string }): Device[] {
  const short = gpus.map((gpu) => gpuName(gpu.uuid, 8));
  return gpus.map((gpu) => {
    // Two uuids that start alike keep their whole length, so that no two devices share a queue or a lock.
    const isUnique = short.filter((name) => name === gpuName(gpu.uuid, 8)).length === 1;
    const name = DeviceName.parse(gpuName(gpu.uuid, isUnique ? 8 : 60));
    return { name, host, kind: 'gpu', queue: deviceQueue(queuePrefix, host, name), uuid: gpu.uuid, memoryMiB: gpu.memoryMiB };
  });
}

function gpuName(uuid: string, length: number): string {
  const kind = uuid.startsWith('MIG-') ? 'mig' : 'gpu';
  const rest = uuid.replace(/^(GPU|MIG)-/, '').toLowerCase();
  return `${kind}-${rest.replaceAll(/[^a-z0-9-]/g, '-').slice(0, length)}`;
}

function cpuDevice(number: number, { host, queuePrefix }: { host: string; queuePrefix: string }): Device {
  const name = DeviceName.parse(`cpu${number}`);
  return { name, host, kind: 'cpu', queue: deviceQueue(queuePrefix, host, name), uuid: null, memoryMiB: null };
}

function cpuWarnings(spec: DeviceSpec, found: FoundDevices, count: number): string[] {
  const slots = `${count} CPU slot${count === 1 ? '' : 's'}`;
  const notes = spec.kind === 'auto' ? [`no GPU found: using ${slots}`, ...found.notes] : [];
  const unused =
    spec.kind === 'cpu' && found.gpus.length > 0
      ? [`${found.gpus.length} GPU(s) found, but devices: cpu leaves them unused`]
      : [];
  const crowded = count > found.cores ? [`${slots} on ${found.cores} cores: evaluations will slow each other down`] : [];
  return [...notes, ...unused, ...crowded];
}
