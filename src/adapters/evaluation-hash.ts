import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MOST_FILES } from '../domain/attempt.ts';
import type { DeviceKind } from '../domain/device.ts';
import type { EvaluateInput } from '../domain/evaluation.ts';
import { EvaluationId } from '../domain/ids.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { refOf } from './artifact-store.ts';
import { orNull } from './atomic-file.ts';
import { dataListingHash } from './data-listing.ts';
import type { Program } from './program.ts';
import { PACKAGE_ROOT } from './project.ts';

/**
 * The identity of an evaluation: a hash of everything that can change its result. Two evaluations with one
 * identity are the same work, and the second is answered with the result of the first.
 *
 * H1 What is not covered must not reach the program: its environment is made from the same list.
 * H2 Parameters that do not count (domain/task.ts, `when`) are left out, and not given to the program.
 * H3 With `cache: off` the node counts too, so that equal evaluations of different nodes each run, while a
 *    second try of the same one still finds its result.
 */

const HELPER = join(PACKAGE_ROOT, 'python', 'scientist_experiment.py');

/** What an evaluation's identity is made from. */
export interface EvaluationWork {
  readonly run: ResolvedRun;
  readonly input: Pick<EvaluateInput, 'kind' | 'dataset' | 'seed' | 'stage' | 'node'>;
  readonly program: Program;
  /** The class of the device; which device of its class must not matter. */
  readonly deviceKind: DeviceKind;
  /** Path of the helper module that programs import; the shipped one where it is left out. */
  readonly helper?: string;
}

/**
 * The identity of an evaluation.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ConfigInvalid` for a data folder that cannot be used.
 */
export async function evaluationId(work: EvaluationWork): Promise<EvaluationId> {
  const { run, input, program, deviceKind } = work;
  const { timeout, grace, memory, output, disk, files, sandbox } = run.config.exec;
  const { pythonVersion, packages, threads, dataDir } = run.environment;
  const covered = {
    v: 1,
    program: [...program.files].map(([name, bytes]) => [name, refOf(bytes)]),
    helper: refOf((await orNull(readFile(work.helper ?? HELPER))) ?? ''),
    parameters: program.parameters,
    task: run.task,
    dataset: input.dataset,
    data: await dataListingHash(dataDir),
    seed: input.seed,
    kind: input.kind,
    device: deviceKind,
    // The usual number is left out, so that results of release 0.1.0, which knew no such limit, are still found.
    limits: { timeout, grace, memory, output, disk, ...(files === MOST_FILES ? {} : { files }) },
    tier: sandbox,
    environment: { pythonVersion, packages, threads },
    // Left out where it is not needed: a run that goes on keeps the identities that it has.
    ...(run.config.cache === 'off' ? { for: [input.stage, input.node] } : {}),
  };
  return EvaluationId.parse(createHash('sha256').update(JSON.stringify(covered)).digest('hex').slice(0, 32));
}
