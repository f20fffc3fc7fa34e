import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Ref } from '../domain/ids.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { getExperiment } from './artifact-store.ts';
import { writeFileAtomic } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';
import { writeProgram } from './node-folder.ts';
import { readProgramOf } from './program.ts';
import { PACKAGE_ROOT } from './project.ts';

/** The helper that programs import; it is put beside them, so that the folder runs wherever it is copied. */
const HELPER = 'scientist_experiment.py';

/** Which program is kept, and how it is presented. */
export interface BestProgram {
  readonly experiment: Ref;
  /** One line of Markdown for people: which node it is and what it reached. */
  readonly title: string;
  readonly dataset: string;
  readonly seed: number;
}

/**
 * Writes the best program to `runs/<run>/best/`: its files, `parameters.json`, the helper and `README.md` with
 * the line that runs it by hand. What was there before is replaced as a whole, once the new one is complete.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`.
 */
export async function writeBestProgram(home: Home, run: ResolvedRun, best: BestProgram): Promise<void> {
  const { best: folder } = runPaths(home, run.plan.runId);
  const program = await readProgramOf(home, run, await getExperiment(home, run.plan.runId, best.experiment));
  const temporary = join(dirname(folder), `.${basename(folder)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await mkdir(temporary, { recursive: true });
    if (!program.files.has(HELPER)) await copyFile(join(PACKAGE_ROOT, 'python', HELPER), join(temporary, HELPER));
    await writeProgram(temporary, program);
    await writeFileAtomic(join(temporary, 'README.md'), readme(run, best));
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function readme(run: ResolvedRun, best: BestProgram): string {
  return `# Best program of ${run.plan.runId}

${best.title}

To run it by hand, in this folder:

\`\`\`sh
${commandLine(run, best)}
\`\`\`

\`results.jsonl\` then has the value. Datasets: ${run.task.datasets.join(', ')}. Any whole number is a seed.
\`parameters.json\` holds what may be changed; the variables are explained at the top of \`${HELPER}\`.
`;
}

/** The variables of the experiment contract, and those that make equal seeds give equal values. */
function commandLine({ task, config, environment }: ResolvedRun, { dataset, seed }: BestProgram): string {
  const variables: [string, string][] = [
    ['PYTHONHASHSEED', '0'],
    ['MPLBACKEND', 'Agg'],
    ...['OMP', 'OPENBLAS', 'MKL'].map((library): [string, string] => [`${library}_NUM_THREADS`, String(environment.threads)]),
    ['SCIENTIST_DATASET', dataset],
    ['SCIENTIST_SEED', String(seed)],
    ['SCIENTIST_PARAMS', 'parameters.json'],
    ['SCIENTIST_RESULTS', 'results.jsonl'],
    ['SCIENTIST_OUT', 'out'],
    ['SCIENTIST_CHECKPOINT', 'checkpoint'],
    ['SCIENTIST_DEVICE', 'cpu0'],
    ['SCIENTIST_TIME_LIMIT_S', String(config.exec.timeout / 1000)],
    ...(environment.dataDir === null ? [] : [['SCIENTIST_DATA_DIR', environment.dataDir] satisfies [string, string]]),
  ];
  const assignments = variables.map(([name, value]) => `${name}=${quoted(value)}`);
  return `mkdir -p out checkpoint\nenv ${[...assignments, quoted(environment.python), task.entry].join(' \\\n  ')}`;
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
