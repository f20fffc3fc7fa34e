import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { FailureReason } from '../../src/domain/failure.ts';
import { copyProbe } from './experiment-programs.ts';

/**
 * Hostile and unlucky programs and proposers as a table: what a node of the task `probe` is scripted to be, and
 * what must become of it. All of them go through one run of the real command (test/chaos/programs.test.ts).
 */

/** One fault, and the node that it must make. */
export interface ProgramFault {
  /** snake_case: the knob `knob.fail` of the probe, or a way in which a proposer fails. */
  readonly name: string;
  /** The entry of the proposer's script (src/proposers/scripted/script.ts) without its match. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** `good`, or the reason of the buggy node. */
  readonly becomes: FailureReason | 'good';
  /** What its message says; always there for a buggy node. */
  readonly says: RegExp;
}

/** Programs, by the value of `knob.fail`; with a dataset, only on that one. */
const PROGRAMS: readonly (readonly [string, FailureReason | 'good', RegExp, string?])[] = [
  ['exception', 'exception', /^ValueError: knob.fail is exception$/],
  ['garbage', 'exception', /^ValueError: knob.fail is /],
  ['exit_code', 'exit_code', /exit code 3/],
  ['exit_at_once', 'no_result', /without a final value of score/],
  ['segfault', 'signal', /SIGSEGV/],
  ['killed', 'signal', /SIGKILL/],
  ['memory', 'out_of_memory', /more memory/],
  ['disk', 'disk_quota', /exec\.disk/],
  ['many_files', 'disk_quota', /exec\.files/],
  ['output', 'output_too_large', /exec\.output/],
  ['long_line', 'output_too_large', /exec\.output/],
  ['hang', 'timeout', /the time limit$/],
  ['hang_after_done', 'timeout', /had reported its final value 0\.\d+, and has to end after that$/],
  ['ignore_sigterm', 'timeout', /the time limit$/],
  ['stop_itself', 'timeout', /the time limit$/],
  ['no_result', 'no_result', /without a final value of score$/, 'b'],
  ['broken_line', 'no_result', /1 lines of results.jsonl could not be read/],
  ['deep_value', 'no_result', /1 lines of results.jsonl could not be read/],
  ['results_link', 'no_result', /without a final value/],
  ['results_pipe', 'no_result', /without a final value/],
  ['results_folder', 'no_result', /without a final value/],
  ['delete_folder', 'no_result', /deleted the folder of its attempt/],
  ['bad_result', 'bad_result', /NaN/],
  ['infinite_result', 'bad_result', /Infinity/],
  ['unknown_metric', 'bad_result', /the metric other/],
  ['unknown_dataset', 'bad_result', /the dataset nowhere/],
  ['two_results', 'bad_result', /2 final values/],
  ['huge_value', 'good', /^$/],
  ['many_figures', 'good', /^$/],
  ['grandchild', 'good', /^$/],
  ['setsid', 'good', /^$/],
];

const PROPOSERS: readonly ProgramFault[] = [
  {
    name: 'proposer_refuses',
    entry: { refused: { type: 'ProposerAuth', message: 'the key is not known' } },
    becomes: 'infrastructure',
    says: /ProposerAuth: the key is not known/,
  },
  {
    name: 'proposer_is_away',
    entry: { refused: { type: 'ProposerUnavailable', message: 'too many requests' } },
    becomes: 'infrastructure',
    says: /ProposerUnavailable: too many requests/,
  },
  { name: 'proposer_stalls', entry: { edit: {}, delay: '1h' }, becomes: 'infrastructure', says: /START_TO_CLOSE/ },
  {
    name: 'proposal_malformed',
    entry: { malformed: 'there is no program in the answer' },
    becomes: 'proposal_malformed',
    says: /no program in the answer/,
  },
  { name: 'proposal_out_of_range', entry: { edit: { x: 99 } }, becomes: 'proposal_malformed', says: /\bx\b/ },
];

/** Every fault of a program or proposer. */
export const PROGRAM_FAULTS: readonly ProgramFault[] = [
  ...PROPOSERS,
  ...PROGRAMS.map(([name, becomes, says, dataset]) => ({
    name,
    entry: { edit: { 'knob.fail': name, ...(dataset === undefined ? {} : { 'knob.fail_on': dataset }) } },
    becomes,
    says,
  })),
];

/** Evaluations of these limits take moments, and each limit is one that a fault passes. */
const LIMITS = { timeout: '4s', grace: '200ms', memory: '100MiB', output: '256KiB', disk: '8MiB', files: 500 };

/** A home whose `config.yaml` gives node `n<i + 1>` the fault i, all as drafts of one stage over two datasets. */
export async function homeOfFaults(faults: readonly ProgramFault[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'scientist-faults-'));
  const folder = join(home, 'experiments');
  await copyProbe(folder, { frozen: [] });
  const taskFile = join(folder, 'probe', 'task.yaml');
  const task: object = parse(readFileSync(taskFile, 'utf8'));
  writeFileSync(taskFile, stringify({ ...task, datasets: ['a', 'b'] }));
  const entries = faults.map(({ entry }, index) => ({ ...entry, match: { node: `n${index + 1}` } }));
  writeFileSync(join(home, 'script.yaml'), stringify({ entries }));
  const count = faults.length;
  const config = {
    task: 'probe',
    tasks_dir: 'experiments',
    devices: 'cpu:2',
    schedule: 'async',
    agent: {
      num_workers: 4,
      search: { num_drafts: count, debug_prob: 0 },
      stages: { stage1_max_iters: count, stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0 },
      multi_seed_eval: { num_seeds: 1 },
    },
    search: { all_datasets_from: 1 },
    proposer: { kind: 'scripted', script: 'script.yaml', timeout: '2s' },
    exec: LIMITS,
  };
  writeFileSync(join(home, 'config.yaml'), stringify(config));
  return home;
}

/** The processes that have a folder in their environment: whatever a run of that home started and left. */
export function processesOf(home: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => textOf(`/proc/${pid}/environ`).includes(home)).map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
