import type { RerunProgram } from '../../adapters/rerun.ts';
import type { EvaluationResult } from '../../domain/evaluation.ts';
import type { RerunRecord } from '../../domain/reproduction.ts';

/** What a rerun says before its first evaluation: of what it is one, and whether the packages are the same. */
export function rerunHeadLines(
  { run, node }: Pick<RerunProgram, 'run' | 'node'>,
  { device, samePackages }: { device: string; samePackages: boolean },
): string[] {
  const { runId, metric } = run.plan;
  return [
    `${node.id} of run ${runId} (${node.operator} ${node.label}) again on ${device}, ${metric.name}`,
    samePackages
      ? `Python ${run.environment.pythonVersion} with the same packages as then`
      : `Python ${run.environment.pythonVersion} with other packages than then: a difference may come from them`,
  ];
}

/** One evaluation of a rerun: dataset and seed, the recorded result, the one of now, and how they compare. */
export function rerunLine({ dataset, seed, recorded, now, text }: RerunRecord['evaluations'][number]): string {
  const then = recorded === null ? 'none' : resultText(recorded);
  return `  ${dataset} seed ${seed}  recorded ${then}  now ${resultText(now)}  ${text}`;
}

/** A value with all its digits, since a rerun is about the last one; or why there is none. */
function resultText(result: EvaluationResult): string {
  return result.status === 'finished' ? String(result.value) : `failed (${result.reason})`;
}
