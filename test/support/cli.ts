import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, signalProcess } from '../../src/adapters/process-identity.ts';
import { PACKAGE_ROOT, temporalPath } from '../../src/adapters/project.ts';
import { livingSupervisor, livingWorkers, readServerRecord } from '../../src/workers/records.ts';

/** The real command `scientist` as a process of its own, in a home of its own. */

/** A config of the task `probe`: four stages in a few seconds. */
export const TINY_CONFIG = [
  'task: probe',
  'devices: cpu:2',
  'agent:',
  '  num_workers: 2',
  '  stages: {stage1_max_iters: 3, stage2_max_iters: 2, stage3_max_iters: 2, stage4_max_iters: 2}',
  '  multi_seed_eval: {num_seeds: 2}',
  '',
].join('\n');

/** The same with the fewest evaluations that go through four stages. */
export const TINIEST_CONFIG = TINY_CONFIG.replace(/max_iters: 2/g, 'max_iters: 1').replace('num_seeds: 2', 'num_seeds: 1');

/** A home with `config.yaml` in it. */
export function newHome(config = TINY_CONFIG): string {
  const home = mkdtempSync(join(tmpdir(), 'scientist-cli-'));
  writeFileSync(join(home, 'config.yaml'), config);
  return home;
}

/** A home whose task `probe` is a copy in which every evaluation takes `ms`, for tests that act while a run goes on. */
export function newSlowHome(ms: number, config = TINY_CONFIG): string {
  const home = newHome(config);
  const folder = join(home, 'experiments', 'probe');
  cpSync(join(PACKAGE_ROOT, 'experiments', 'probe'), folder, { recursive: true });
  const file = join(folder, 'task.yaml');
  const task = readFileSync(file, 'utf8');
  const slow = task.replace(/(knob\.duration_ms: \{[^}]*default: )0/, `$1${ms}`);
  if (slow === task) throw new Error(`${file} has no knob.duration_ms with default 0`);
  writeFileSync(file, slow);
  return home;
}

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** What it printed so far. */
  out(): string;
  err(): string;
  /** Waits until standard output matches; fails with all that was printed when the command ends before. */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Sends a signal to the whole group, as a terminal does. */
  signal(name: NodeJS.Signals): void;
}

const running = new Map<ChildProcess, string>();

/** Starts a command. */
export function startCommand(home: string, ...argv: string[]): RunningCommand {
  const child = spawn(process.execPath, [join(PACKAGE_ROOT, 'bin', 'scientist.mjs'), ...argv], {
    cwd: home,
    env: commandEnv(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.set(child, home);
  child.once('close', () => running.delete(child));
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const ended = once(child, 'close').then(() => child.exitCode);
  const all = () => `${argv.join(' ')}\n--- out\n${text.out}\n--- err\n${text.err}`;
  return {
    child,
    out: () => text.out,
    err: () => text.err,
    ended,
    signal: (name) => {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    },
    saying: async (pattern) => {
      for (;;) {
        const match = pattern.exec(text.out);
        if (match !== null) return match;
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode} before it said ${pattern}: ${all()}`);
        await sleep(50);
      }
    },
  };
}

/** Starts `scientist up` and waits until the services are there. */
export async function startUp(home: string, devices: string): Promise<RunningCommand> {
  const up = startCommand(home, 'up', '--devices', devices);
  await up.saying(/Ctrl-C stops/);
  return up;
}

/** Runs a command to its end. */
export async function runCommand(home: string, ...argv: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const command = startCommand(home, ...argv);
  const code = await command.ended;
  return { code, out: command.out(), err: command.err() };
}

/** Runs the real `temporal` command against the server of a home, as the documentation shows it. */
export async function temporal(home: string, ...argv: string[]): Promise<{ code: number | null; out: string }> {
  return spoken(spawn('temporal', argv, { cwd: home, env: await temporalEnv(home), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Types a line of the documentation that uses `temporal`, with its variables set; what it prints is in `out`. */
export async function typeLine(
  home: string,
  line: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string }> {
  const env = { ...(await temporalEnv(home)), ...variables };
  return spoken(spawn('sh', ['-c', line], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function temporalEnv(home: string): Promise<NodeJS.ProcessEnv> {
  const server = await readServerRecord({ root: home });
  const path = `${dirname(temporalPath())}${delimiter}${process.env['PATH'] ?? ''}`;
  return { ...commandEnv(home), TEMPORAL_ADDRESS: server?.address, PATH: path };
}

async function spoken(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  await once(child, 'close');
  return { code: child.exitCode, out };
}

/** Every process of a home that lives now, the server, supervisor and workers, is killed at once. */
export async function killServices(home: string): Promise<void> {
  const root = { root: home };
  const [supervisor, server, workers] = await Promise.all([livingSupervisor(root), readServerRecord(root), livingWorkers(root)]);
  const identities = [...(supervisor === null ? [] : [supervisor]), ...(server === null ? [] : [server]), ...workers].map(
    ({ identity }) => identity,
  );
  for (const identity of identities.filter(isAlive)) signalProcess(identity, 'SIGKILL');
}

/** Ends whatever still runs in a home, commands of a failed test included, and removes it. */
export async function removeHome(home: string): Promise<void> {
  const left = [...running].filter(([, of]) => of === home).map(([child]) => child);
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => once(child, 'close')));
  await killServices(home);
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function commandEnv(home: string): NodeJS.ProcessEnv {
  return { ...process.env, TEMPORAL_ADDRESS: undefined, SCIENTIST_HOME: home, NO_COLOR: '1' };
}
