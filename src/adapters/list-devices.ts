import { execFile } from 'node:child_process';
import { availableParallelism, hostname } from 'node:os';
import { hostLabel, type FoundDevices, type FoundGpu } from '../domain/device-spec.ts';

/**
 * What the host has to run experiments on. NVIDIA's tool is asked, restricted to a preset
 * `CUDA_VISIBLE_DEVICES`; without the tool that variable alone is believed; with neither there are only
 * CPU cores.
 */

/** The tool may need seconds to wake a driver up; a hung driver must not hang us. */
const TOOL_TIMEOUT_MS = 15_000;
const QUERY = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits'];

/** Options of {@link findDevices}. */
export interface FindOptions {
  /** How long the vendor's tool may take, milliseconds. */
  readonly timeoutMs?: number;
}

/** The devices of this host that `env` lets experiments use. Never throws: what went wrong is a note. */
export async function findDevices(env: NodeJS.ProcessEnv = process.env, options: FindOptions = {}): Promise<FoundDevices> {
  const cores = availableParallelism();
  const visible = parseVisibleDevices(env['CUDA_VISIBLE_DEVICES']);
  if (visible?.length === 0) return { gpus: [], cores, notes: ['CUDA_VISIBLE_DEVICES hides every GPU'] };
  const answer = await askTool(env, options.timeoutMs ?? TOOL_TIMEOUT_MS);
  if (answer.kind === 'missing') return { gpus: (visible ?? []).map(gpuOfVariable), cores, notes: [] };
  if (answer.kind === 'failed') return { gpus: [], cores, notes: [`nvidia-smi does not work: ${answer.why}`] };
  const { gpus, problems } = parseNvidiaSmi(answer.text);
  const restricted = restrictGpus(gpus, visible);
  return { gpus: restricted.gpus, cores, notes: [...problems, ...restricted.notes] };
}

/** The name of this host as it stands in queue names. */
export function thisHost(): string {
  return hostLabel(hostname());
}

/**
 * Reads what `nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits` prints; a
 * line of another form is a problem in words, never an error.
 */
export function parseNvidiaSmi(text: string): { gpus: FoundGpu[]; problems: string[] } {
  const gpus: FoundGpu[] = [];
  const problems: string[] = [];
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '' || /^no devices were found/i.test(line)) continue;
    const match = /^(\d+), *(GPU-[0-9a-fA-F-]+), *(.*), *(\d+|\[.*\])$/.exec(line);
    if (match === null) problems.push(`nvidia-smi says: ${line.slice(0, 120)}`);
    else gpus.push({ index: Number(match[1]), uuid: match[2] ?? '', model: match[3] ?? '', memoryMiB: memoryOf(match[4] ?? '') });
  }
  return { gpus, problems };
}

/**
 * The entries of `CUDA_VISIBLE_DEVICES`, numbers or uuids; `null` when it is not set. As CUDA reads it: what
 * follows the first entry that names nothing (`-1`, a word) is ignored, so an empty text hides all.
 */
export function parseVisibleDevices(value: string | undefined): string[] | null {
  if (value === undefined) return null;
  const entries = value.split(',').map((entry) => entry.trim());
  const end = entries.findIndex((entry) => !/^(\d+|(GPU|MIG)-.+)$/.test(entry));
  return end === -1 ? entries : entries.slice(0, end);
}

/** The GPUs that the variable lets through, in its order; all of them without it. MIG devices, which the tool does not list, pass. */
export function restrictGpus(
  gpus: readonly FoundGpu[],
  visible: readonly string[] | null,
): { gpus: FoundGpu[]; notes: string[] } {
  if (visible === null) return { gpus: [...gpus], notes: [] };
  const found = visible.map((entry) => {
    if (entry.startsWith('MIG-')) return gpuOfVariable(entry);
    return gpus.find((gpu) => String(gpu.index) === entry || gpu.uuid.toLowerCase().startsWith(entry.toLowerCase())) ?? null;
  });
  const missing = visible.filter((_, i) => found[i] === null);
  const notes = missing.length === 0 ? [] : [`CUDA_VISIBLE_DEVICES names ${missing.join(',')}, which nvidia-smi does not know`];
  return { gpus: [...new Set(found.filter((gpu) => gpu !== null))], notes };
}

function gpuOfVariable(entry: string): FoundGpu {
  const isNumber = /^\d+$/.test(entry);
  return { index: isNumber ? Number(entry) : null, uuid: entry, model: 'named by CUDA_VISIBLE_DEVICES', memoryMiB: null };
}

function memoryOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

type ToolAnswer = { kind: 'missing' } | { kind: 'failed'; why: string } | { kind: 'answered'; text: string };

function askTool(env: NodeJS.ProcessEnv, timeoutMs: number): Promise<ToolAnswer> {
  return new Promise((resolve) => {
    execFile('nvidia-smi', QUERY, { env, timeout: timeoutMs, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'answered', text: stdout });
      else if (error.code === 'ENOENT' || error.code === 'EACCES') resolve({ kind: 'missing' });
      // Exit code 6 is the tool's own "no devices".
      else if (/no devices were found/i.test(stdout + stderr)) resolve({ kind: 'answered', text: '' });
      else if (error.killed === true) resolve({ kind: 'failed', why: `no answer within ${timeoutMs} ms` });
      else resolve({ kind: 'failed', why: (stderr.trim() || stdout.trim() || error.message).slice(0, 200) });
    });
  });
}
