import type { Command } from 'commander';
import { removedRunIds } from '../../adapters/clean-up.ts';
import { runPaths } from '../../adapters/layout.ts';
import { keptSets } from '../../adapters/run-inputs.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { NodeId, STAGE_NAMES, StageName, type RunId } from '../../domain/ids.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import type { Io } from '../io.ts';
import { prepareRun } from '../prepare-run.ts';
import { chooseRunId, parseRunId, unknownRun } from '../run-id.ts';
import { collectSet } from '../sets.ts';
import { stageText } from '../text/stage-text.ts';
import { existing, startPrepared, type StartFlags } from './run.ts';

interface ForkFlags extends StartFlags {
  readonly from: string;
  readonly stage?: string;
  readonly runId?: string;
  readonly set: Readonly<Record<string, string>>;
  readonly devices?: string;
}

/** `scientist fork RUN --from NODE`. */
export function forkCommand(context: CommandContext): Command {
  return newCommand('fork <run>', 'run', 'start a new run from a node of another one, and follow it')
    .requiredOption('--from <node>', 'the node to start from, good or buggy, e.g. n17')
    .option('--stage <stage>', `stage to begin with: ${STAGE_NAMES.join(', ')} (default: the one that made the node)`)
    .option('--run-id <id>', 'id of the new run instead of <task>-<yyyymmdd>-<n>')
    .option('--set <key=value>', 'change a key of the config that the other run had; may be repeated', collectSet, {})
    .option('--devices <spec>', 'devices instead of the config’s: auto, cpu:2, gpu:0,1')
    .option('--detach', 'start it and leave; needs a running scientist up, or an outside server')
    .option('--dry-run', 'show the resolved plan and start nothing')
    .option('--json', 'with --dry-run: the plan as JSON')
    .action(acting(context, (run: string, flags: ForkFlags) => fork(context.io, run, flags)));
}

async function fork(io: Io, text: string, flags: ForkFlags): Promise<ExitCode> {
  const source = parseRunId(text);
  const taken = await listRuns(io.home);
  const gone = await removedRunIds(io.home);
  if (!taken.includes(source)) throw unknownRun(source, taken);
  const given = flags.runId === undefined ? null : parseRunId(flags.runId);
  if (given !== null && taken.includes(given)) throw existing(given);
  const devices = flags.devices === undefined ? {} : { devices: flags.devices };
  const prepared = await prepareRun(io, {
    config: runPaths(io.home, source).config,
    sets: { ...(await keptSets(io.home, source)), ...flags.set, ...devices },
    chooseId: (task) => given ?? chooseRunId(task, new Date(), [...taken, ...gone]),
    from: {
      run: source,
      node: parseNode(flags.from, source),
      ...(flags.stage === undefined ? {} : { stage: parseStage(flags.stage) }),
    },
  });
  const { start } = prepared.plan;
  if (start !== null && flags.json !== true)
    io.err(`fork of ${source} from ${start.node.id} (${start.node.status}), beginning with ${stageText(start.stage)}`);
  return startPrepared(io, prepared, flags);
}

/** A node id as a person gave it; refused with the rule for ids when it is none. */
export function parseNode(text: string, run: RunId): NodeId {
  const parsed = NodeId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliFailure(
    EXIT.input,
    `${JSON.stringify(text)} is not a node: nodes are n1, n2, ...`,
    `see the nodes of the run with: scientist journal ${run}`,
  );
}

function parseStage(text: string): StageName {
  const parsed = StageName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliFailure(EXIT.input, `${JSON.stringify(text)} is not a stage`, `give one of ${STAGE_NAMES.join(', ')}`);
}
