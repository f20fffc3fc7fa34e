import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { EvaluationRecord } from '../domain/evaluation.ts';
import type { Experiment } from '../domain/experiment.ts';
import type { NodeId, StageName } from '../domain/ids.ts';
import type { Operator } from '../domain/item.ts';
import type { Node } from '../domain/node.ts';
import { writeFileAtomic, writeJsonAtomic } from './atomic-file.ts';
import { attemptPaths, figureNames } from './attempt-folder.ts';
import { runPaths, type Home } from './layout.ts';
import { readProgram, type Program } from './program.ts';

/**
 * A node as a person wants to find it: `runs/<run>/<stage>/<node>/` with the program, `parameters.json`,
 * `plan.md`, `node.json`, `evaluations/<dataset>-s<seed>` (links to where the bytes lie) and `figures/`.
 * Nothing of the system reads it back; it is written again whenever its content is.
 */

/** Figures of an evaluation that are copied; the rest is where the program drew it. */
const MOST_FIGURES = 100;

/** What is known of a node before it is evaluated. */
export interface NodeText {
  readonly stage: StageName;
  readonly node: NodeId;
  readonly experiment: Experiment;
  /** One sentence: what is tried and why. */
  readonly plan: string;
  readonly label: string;
  readonly operator: Operator;
  readonly parent: NodeId | null;
}

/** Writes the program files, `parameters.json` (the active keys with their values) and `plan.md` of a node. */
export async function writeNodeFolder(home: Home, runId: string, text: NodeText): Promise<void> {
  const folder = runPaths(home, runId).node(text.stage, text.node);
  const program = await readProgram(home, runId, text.experiment);
  await writeProgram(folder, program);
  await writeFileAtomic(join(folder, 'plan.md'), planText(text));
}

/** Writes a program's files and its `parameters.json` into a folder. */
export async function writeProgram(folder: string, program: Program): Promise<void> {
  for (const [name, bytes] of program.files) await writeFileAtomic(join(folder, name), bytes);
  await writeJsonAtomic(join(folder, 'parameters.json'), program.parameters);
}

/** Writes `node.json` and links the node's evaluations and figures, in the place of what was linked before. */
export async function linkNodeEvaluations(
  home: Home,
  runId: string,
  node: Node,
  evaluations: readonly EvaluationRecord[],
): Promise<void> {
  const folder = runPaths(home, runId).node(node.stage, node.id);
  // A run that was reset makes another node under this number.
  for (const name of ['evaluations', 'figures']) await rm(join(folder, name), { recursive: true, force: true });
  await writeJsonAtomic(join(folder, 'node.json'), { ...node, evaluations });
  await linkEvaluations(home, runId, folder, evaluations);
}

/** Links evaluations below `<folder>/evaluations` and copies their figures to `<folder>/figures`. */
export async function linkEvaluations(
  home: Home,
  runId: string,
  folder: string,
  evaluations: readonly EvaluationRecord[],
): Promise<void> {
  for (const { dataset, seed, result } of evaluations) {
    if (result.evaluation === null) continue;
    const name = `${dataset}-s${seed}`;
    await linkTo(join(folder, 'evaluations'), name, runPaths(home, runId).evaluation(result.evaluation));
    const { out } = attemptPaths(runPaths(home, runId).attempt(result.evaluation, result.attempt));
    await copyFigures(out, join(folder, 'figures'), name);
  }
}

/** A relative link, so that the run's folder can be moved; it stays a link where the target is gone. */
async function linkTo(folder: string, name: string, target: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const link = join(folder, name);
  await rm(link, { recursive: true, force: true });
  await symlink(relative(folder, target), link, 'dir');
}

async function copyFigures(out: string, figures: string, prefix: string): Promise<void> {
  const names = (await figureNames(out)).slice(0, MOST_FIGURES);
  if (names.length > 0) await mkdir(figures, { recursive: true });
  for (const name of names) await copyFile(join(out, name), join(figures, `${prefix}-${name}`));
}

function planText(text: NodeText): string {
  const from = text.parent === null ? 'a new root' : `from ${text.parent}`;
  return `# ${text.node}: ${text.operator} ${text.label}\n\n${text.plan}\n\nMade ${from} in ${text.stage}.\n`;
}
