import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { PACKAGE_ROOT, pythonPath } from '../../src/adapters/project.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import { activeKeys, type Task } from '../../src/domain/task.ts';

/**
 * Accuracies of the task `digits` from Python processes that stay warm, for measurements that need thousands.
 * They run the same code as an evaluation (experiments/digits/pipeline.py) with one thread each, and give the
 * same numbers; `search.ts` checks that against every run of the product.
 */

/** A point of the component space. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** The accuracy on one dataset with one seed, or why there is none. */
export const Score = z.union([z.strictObject({ value: z.number() }), z.strictObject({ failure: z.string() })]);
export type Score = z.infer<typeof Score>;

/** The processes. */
export interface Scorer {
  /** Evaluations so far. */
  readonly used: () => number;
  readonly score: (dataset: string, seed: number, parameters: Parameters) => Promise<Score>;
  readonly close: () => void;
}

/** As many as the product has devices in these measurements. */
const PROCESSES = 2;
const THREADS = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1', PYTHONHASHSEED: '0' };

/** Starts the processes for the task whose programs lie in `folder`. */
export function startScorer(task: Task, folder: string): Scorer {
  const processes = Array.from({ length: PROCESSES }, () => startProcess(folder));
  let used = 0;
  return {
    used: () => used,
    score: (dataset, seed, parameters) => {
      used += 1;
      const active = Object.fromEntries(activeKeys(task, parameters).map((key) => [key, parameters[key]]));
      const [idle] = [...processes].sort((a, b) => a.waiting() - b.waiting());
      if (idle === undefined) throw new TypeError('no process');
      return idle.ask({ dataset, seed, parameters: active });
    },
    close: () => {
      for (const { child } of processes) child.stdin.end();
    },
  };
}

interface ScoringProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: () => number;
  readonly ask: (question: unknown) => Promise<Score>;
}

function startProcess(folder: string): ScoringProcess {
  const program = join(PACKAGE_ROOT, 'bench', 'digits_scores.py');
  const child = spawn(pythonPath(), ['-B', program, folder], { env: { ...process.env, ...THREADS } });
  child.stderr.pipe(process.stderr);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let waiting = 0;
  return {
    child,
    waiting: () => waiting,
    ask: async (question) => {
      waiting += 1;
      child.stdin.write(`${JSON.stringify(question)}\n`);
      // Answers come in the order of the questions.
      const line = await answers.next();
      waiting -= 1;
      if (line.done === true) throw new Error('the scoring process has ended');
      return Score.parse(JSON.parse(line.value));
    },
  };
}
