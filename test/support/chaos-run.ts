import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { identityOf, isAlive } from '../../src/adapters/process-identity.ts';
import { pythonPath } from '../../src/adapters/project.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { auditRun, type RunAudit } from '../../src/domain/run-audit.ts';
import { carryOut, recoveries, type Step, type Strike } from '../../src/workers/faults/campaign.ts';
import { watchRun } from '../../src/workers/faults/sight.ts';
import { newSlowHome, startCommand, type RunningCommand } from './cli.ts';
import { rewrite } from './shell.ts';

/** Whether the whole is asked for, by `npm run test:chaos`; `npm test` leaves out what takes long and is covered in short. */
export const IS_WHOLE = process.env['SCIENTIST_CHAOS'] === 'whole';

/** A run of the real command that a row of faults is done to, followed to its end whatever is killed. */

/** What became of a run that was disturbed. */
export interface ChaosOutcome {
  readonly strikes: readonly Strike[];
  /** Time until the next evaluation started, for each strike. */
  readonly recoveries: readonly (number | null)[];
  /** Exit code of the command that followed the run to its end. */
  readonly code: number | null;
  /** What that command printed. */
  readonly said: string;
  readonly audit: RunAudit;
}

/** The run of a chaos test; one per home. */
export const RUN = 'chaos';

/** A home with a config in which every evaluation takes `ms`, in a process of its own that the program starts. */
export function chaosHome(ms: number, config: string): string {
  const home = newSlowHome(ms);
  const task = join(home, 'experiments', 'probe');
  copyFileSync(join(import.meta.dirname, '..', 'fixtures', 'chaos', 'parent.py'), join(task, 'parent.py'));
  rewrite(join(task, 'task.yaml'), /^entry: probe\.py$/m, 'entry: parent.py\nfiles: [probe.py]');
  writeFileSync(join(home, 'config.yaml'), config);
  return home;
}

/** A config of `probe` with this much work, and continue-as-new about once a stage. */
export function chaosConfig(nodes: readonly number[], more: readonly string[] = []): string {
  const limits = nodes.map((limit, index) => `stage${index + 1}_max_iters: ${limit}`).join(', ');
  return [
    'task: probe',
    'tasks_dir: experiments',
    'devices: cpu:2',
    'agent:',
    '  num_workers: 2',
    `  stages: {${limits}}`,
    '  multi_seed_eval: {num_seeds: 2}',
    'search: {good_nodes: 1000}',
    `server: {max_history_events: ${HISTORY_EVENTS}}`,
    ...more,
    '',
  ].join('\n');
}

/** Short enough for a stage to continue as new several times. */
const HISTORY_EVENTS = 80;

/** Lets the programs of a home prove by a lock that a device runs one at a time. */
export function withTokens(home: string): void {
  mkdirSync(join(home, 'data', 'tokens'), { recursive: true });
  writeFileSync(join(home, 'data', 'ledger.txt'), '');
  appendFileSync(join(home, 'config.yaml'), 'data_dir: data\n');
}

/** Programs that found their device's token held by another; empty as long as devices run one at a time. */
export function tokensRefused(home: string): string[] {
  const lines = readFileSync(join(home, 'data', 'ledger.txt'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('refused'));
}

/** Starts a run, does the steps to it, each within `phaseMs` of when it could be, and stays until the run has ended. */
export async function disturb(home: string, steps: readonly Step[], phaseMs: number): Promise<ChaosOutcome> {
  const target = { home: { root: home }, runId: RUN };
  const watch = watchRun(target);
  const follower = follow(home);
  const lasting: (() => Promise<void>)[] = [];
  try {
    while ((await watch.look()).run === null) follower.look();
    const strikes = await carryOut({
      target,
      watch,
      steps,
      maxHistoryEvents: HISTORY_EVENTS,
      phaseMs,
      tell: tellStrike,
      keep: (release) => void lasting.push(release),
      meanwhile: follower.look,
    });
    const ended = await follower.toEnd();
    const events = await readEvents(target.home, RUN);
    const { lines } = await readLedgers(target.home);
    const audit = auditRun({ runId: RUN, events, isOver: true }, lines);
    return { strikes, recoveries: recoveries(strikes, lines), audit, ...ended };
  } finally {
    for (const release of lasting) await release();
    await watch.close();
  }
}

/** Whether the report of the run was written. */
export function isReported(home: string): boolean {
  return existsSync(runPaths({ root: home }, RUN).reportData);
}

function tellStrike({ fault, wanted, seen, events, at, hits }: Strike): void {
  const where = `wanted ${wanted ?? 'any moment'}, seen ${seen.join(' ')}, ${events} events`;
  const what = hits.length === 0 ? 'nothing to hit' : hits.join(', ');
  process.stdout.write(`  ${new Date(at).toISOString().slice(14, 23)} ${fault.padEnd(22)} ${where}: ${what}\n`);
}

interface Follower {
  /** Replaces a command that was killed. */
  readonly look: () => void;
  readonly toEnd: () => Promise<{ code: number | null; said: string }>;
}

/** The command that follows the run; one that was killed is replaced by `resume`. */
function follow(home: string): Follower {
  let command: RunningCommand = startCommand(home, 'run', 'config.yaml', '--run-id', RUN);
  const wasKilled = (): boolean => command.child.signalCode !== null;
  const look = (): void => {
    if (wasKilled()) command = startCommand(home, 'resume', RUN);
  };
  return {
    look,
    async toEnd() {
      for (;;) {
        const code = await command.ended;
        if (!wasKilled()) return { code, said: `${command.out()}\n${command.err()}` };
        look();
      }
    },
  };
}

/** A process named `python` that has nothing to do with any run. */
export interface Bystander {
  isAlive(): boolean;
  end(): Promise<void>;
}

/** Starts one. */
export async function startBystander(folder: string): Promise<Bystander> {
  const python = join(folder, 'python');
  symlinkSync(pythonPath(), python);
  const child = spawn(python, ['-c', 'import time; time.sleep(3600)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = child.pid === undefined ? null : identityOf(child.pid);
  return {
    isAlive: () => identity !== null && isAlive(identity),
    end: async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
