import { join } from 'node:path';
import type { Device } from '../domain/device.ts';
import type { EvaluateInput } from '../domain/evaluation.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import type { AttemptPaths } from './attempt-folder.ts';
import { homePaths, type Home } from './layout.ts';
import { PACKAGE_ROOT } from './project.ts';

/**
 * The environment of an experiment program: what is listed here and nothing else, so that no key, and
 * nothing that the evaluation's identity does not cover, reaches it.
 */

/** Variables of the worker that are passed on when they are set: where things lie, and the hardware. */
const PASSED_ON = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'TZ',
  'OPENBLAS_CORETYPE',
  'CUDA_HOME',
  'NVIDIA_DRIVER_CAPABILITIES',
];

/** Each BLAS has a variable of its own. */
const THREAD_VARIABLES = [
  'OMP_NUM_THREADS',
  'OPENBLAS_NUM_THREADS',
  'MKL_NUM_THREADS',
  'NUMEXPR_NUM_THREADS',
  'VECLIB_MAXIMUM_THREADS',
  'BLIS_NUM_THREADS',
];

/** What the environment depends on. */
export interface EnvironmentFacts {
  readonly home: Home;
  readonly run: ResolvedRun;
  readonly input: Pick<EvaluateInput, 'dataset' | 'seed'>;
  readonly device: Device;
  readonly paths: AttemptPaths;
  readonly checkpoint: string;
}

/** The whole environment of an attempt's program. */
export function attemptEnvironment(facts: EnvironmentFacts, own: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return {
    ...passedOn(own),
    ...fixed(facts),
    ...contract(facts),
    ...visibleDevice(facts.device, own),
    ...Object.fromEntries(THREAD_VARIABLES.map((name) => [name, String(facts.run.environment.threads)])),
  };
}

function passedOn(own: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = own[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function fixed({ home, paths }: EnvironmentFacts): Record<string, string> {
  return {
    HOME: paths.temporary,
    TMPDIR: paths.temporary,
    LANG: 'C.UTF-8',
    PYTHONPATH: join(PACKAGE_ROOT, 'python'),
    PYTHONHASHSEED: '0',
    PYTHONDONTWRITEBYTECODE: '1',
    // So that what was printed is in the file when the program is killed.
    PYTHONUNBUFFERED: '1',
    PYTHONFAULTHANDLER: '1',
    MPLBACKEND: 'Agg',
    // Shared: matplotlib takes seconds to list the fonts the first time.
    MPLCONFIGDIR: join(homePaths(home).state, 'cache', 'matplotlib'),
    CUBLAS_WORKSPACE_CONFIG: ':4096:8',
  };
}

/** The variables of the contract with experiment programs; a test freezes them. */
function contract({ run, input, device, paths, checkpoint }: EnvironmentFacts): Record<string, string> {
  return {
    SCIENTIST_DATASET: input.dataset,
    SCIENTIST_SEED: String(input.seed),
    SCIENTIST_PARAMS: paths.parameters,
    SCIENTIST_OUT: paths.out,
    SCIENTIST_CHECKPOINT: checkpoint,
    SCIENTIST_DEVICE: device.name,
    SCIENTIST_TIME_LIMIT_S: String(run.config.exec.timeout / 1000),
    SCIENTIST_DATA_DIR: run.environment.dataDir ?? '',
    SCIENTIST_RESULTS: paths.results,
  };
}

/** A program sees exactly its device; where the vendor's uuid is not known, what the worker itself sees. */
function visibleDevice(device: Device, own: NodeJS.ProcessEnv): Record<string, string> {
  const visible = device.kind === 'cpu' ? '' : (device.uuid ?? own['CUDA_VISIBLE_DEVICES']);
  return visible === undefined ? {} : { CUDA_VISIBLE_DEVICES: visible };
}
