import type { Command } from 'commander';
import { readLedgers } from '../../adapters/ledger.ts';
import { loadRun, readEvents } from '../../adapters/run-store.ts';
import type { RunId } from '../../domain/ids.ts';
import { auditRun } from '../../domain/run-audit.ts';
import { carryOut, planSteps, recoveries, type Step, type Strike } from '../../workers/faults/campaign.ts';
import type { Fault, Target } from '../../workers/faults/fault.ts';
import { PROCESS_FAULTS } from '../../workers/faults/process-faults.ts';
import { watchRun, type Watch } from '../../workers/faults/sight.ts';
import { attachedServices } from '../../workers/hosting.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { listenForInterruption, pause } from '../interruption.ts';
import type { Io } from '../io.ts';
import { knownRun, nearest } from '../run-id.ts';
import { endLines, planLines, strikeLine, type ChaosEnd } from '../text/chaos-text.ts';

/** Commands belong to people: the fault that kills them too is for tests. */
const FAULTS: readonly Fault[] = PROCESS_FAULTS.filter(({ name }) => name !== 'everything');
/** Without `--faults`, only what a run survives with the same nodes. */
const DEFAULT_FAULTS: readonly Fault[] = FAULTS.filter(({ changesResults }) => !changesResults);
const DEFAULT_KILLS = 5;
const MAX_KILLS = 1000;
const MAX_DELAY_MS = 5000;
/** How long a process stays stopped, or a device away. */
const HOLD_MS = 3000;
const PHASE_MS = 30_000;
const LOOK_MS = 500;

interface ChaosFlags {
  readonly kills: string;
  readonly seed: string;
  readonly faults?: string;
  readonly yes?: true;
}

/** `scientist chaos RUN`. */
export function chaosCommand(context: CommandContext): Command {
  return newCommand('chaos <run>', 'host', 'kill parts of the project while a run goes on, and say what was lost')
    .option('--kills <n>', `faults to do, 1 to ${MAX_KILLS}`, String(DEFAULT_KILLS))
    .option('--seed <n>', 'what decides which and when', '0')
    .option('--faults <names>', `some of ${FAULTS.map(({ name }) => name).join(', ')}; those that change no result when left out`)
    .option('--yes', 'really do it; without it the plan is shown and nothing is done')
    .action(acting(context, (run: string, flags: ChaosFlags) => chaos(context.io, run, flags)));
}

async function chaos(io: Io, text: string, flags: ChaosFlags): Promise<ExitCode> {
  const runId = await knownRun(io.home, text);
  const steps = stepsOf(flags);
  if (flags.yes !== true) return refuse(io, runId, steps);
  const target: Target = { home: io.home, runId };
  const watch = watchRun(target);
  const interruption = listenForInterruption();
  try {
    await checkIsRunning(target, watch);
    const end = await carryOutOn(io, { target, watch, steps, signal: interruption.signal });
    endLines(end).forEach((line) => {
      io.out(line);
    });
    return isClean(end) ? EXIT.done : EXIT.internal;
  } finally {
    interruption.dispose();
    await watch.close();
  }
}

function refuse(io: Io, runId: RunId, steps: readonly Step[]): ExitCode {
  planLines(steps).forEach((line) => {
    io.out(line);
  });
  throw new CliFailure(
    EXIT.input,
    `this would be done to the processes of this project while ${runId} goes on; other runs of the project feel it too`,
    'do it with the same arguments and --yes; nothing was done now',
  );
}

/** Somebody must hold the services, or what is killed would not come back. */
async function checkIsRunning({ home, runId }: Target, watch: Watch): Promise<void> {
  const services = await attachedServices(home);
  const fix = `start it in another terminal, then come back: scientist resume ${runId}`;
  if (services === null || services.holders === 0)
    throw new CliFailure(EXIT.environment, 'nothing of this project is hosted, so nothing can be killed', fix);
  const sight = await watch.look();
  if (sight.isOver) throw new CliFailure(EXIT.input, `${runId} has ended`, 'choose a run that goes on: scientist list');
  if (sight.run === null) throw new CliFailure(EXIT.environment, 'the server does not answer', fix);
}

interface Doing {
  readonly target: Target;
  readonly watch: Watch;
  readonly steps: readonly Step[];
  readonly signal: AbortSignal;
}

/** Does the steps, then waits for the end of the run: only then it is known what was lost. */
async function carryOutOn(io: Io, { target, watch, steps, signal }: Doing): Promise<ChaosEnd> {
  const { home, runId } = target;
  const beganAt = Date.now();
  const strikes = await carryOut({
    target,
    watch,
    steps,
    maxHistoryEvents: (await loadRun(home, runId)).plan.maxHistoryEvents,
    phaseMs: PHASE_MS,
    tell: (strike: Strike) => {
      io.out(strikeLine(strike, beganAt));
    },
    keep: () => undefined,
    signal,
  });
  io.err('waiting for the end of the run, which shows what was lost; Ctrl-C shows what is known now');
  let isOver = (await watch.look()).isOver;
  while (!isOver && !signal.aborted) {
    await pause(LOOK_MS, signal);
    isOver = (await watch.look()).isOver;
  }
  const { lines } = await readLedgers(home);
  const events = await readEvents(home, runId);
  return { strikes, recoveries: recoveries(strikes, lines), audit: auditRun({ runId, events, isOver }, lines), isOver };
}

function isClean({ audit, isOver }: ChaosEnd): boolean {
  const open = isOver ? audit.open.length : 0;
  return audit.lost.length + audit.doubled.length + audit.overlaps.length + open === 0;
}

function stepsOf(flags: ChaosFlags): Step[] {
  const kills = wholeNumber('--kills', flags.kills, { from: 1, to: MAX_KILLS });
  const seed = wholeNumber('--seed', flags.seed, { from: 0, to: 2 ** 31 - 1 });
  return planSteps({ seed, kills, faults: faultsOf(flags.faults), maxDelayMs: MAX_DELAY_MS, holdMs: HOLD_MS });
}

function faultsOf(names: string | undefined): readonly Fault[] {
  if (names === undefined) return DEFAULT_FAULTS;
  return names.split(',').map((name) => {
    const fault = FAULTS.find((one) => one.name === name.trim());
    if (fault !== undefined) return fault;
    const near = nearest(
      name.trim(),
      FAULTS.map((one) => one.name),
    );
    throw new CliFailure(EXIT.input, `there is no fault ${JSON.stringify(name.trim())}`, `did you mean ${near.join(', ')}?`);
  });
}

function wholeNumber(flag: string, text: string, { from, to }: { from: number; to: number }): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= from && value <= to) return value;
  throw new CliFailure(
    EXIT.input,
    `${flag} ${JSON.stringify(text)} is no whole number from ${from} to ${to}`,
    'correct the argument',
  );
}
