import { z } from 'zod';
import { blame } from '../../../src/strategies/pipeline-chain.ts';
import { counterfactualPairs, stageUnits, upstreamOf } from '../reference/pipeline.ts';
import { orRangeError } from './range-errors.ts';
import type { Runner } from './runner.ts';

const stages = z.array(z.string());
const OneStage = z.object({ stages, stage: z.string() });
const Success = z.object({ stages, stage_success: z.record(z.string(), z.boolean()) });
const PlanCall = z.object({ stages, n_workers: z.number(), round: z.number(), keys: z.array(z.string()) });

const NOT_IN_CHAIN = { class: 'ValueError', is_a: ['ValueError', 'Exception'], condition: 'stage name is not in the chain' };
const NO_STAGES = {
  class: 'ZeroDivisionError',
  is_a: ['ZeroDivisionError', 'ArithmeticError', 'Exception'],
  condition: 'modulo by zero stages',
};

/** The pipeline chain. */
export const PIPELINE: Readonly<Record<string, Runner>> = {
  'PipelineChain.upstream_of': (input) => {
    const { stages: chain, stage } = OneStage.parse(input);
    return orRangeError(() => upstreamOf(chain, stage), NOT_IN_CHAIN);
  },
  'PipelineChain.blame': (input) => {
    const { stages: chain, stage_success: success } = Success.parse(input);
    return blame(chain, new Map(Object.entries(success)));
  },
  'PipelineChain.counterfactual_pairs': (input) => counterfactualPairs(OneStage.parse(input).stage),
  'PipelineParallel.plan': (input) => {
    const { stages: chain, n_workers: nWorkers, keys } = PlanCall.parse(input);
    return orRangeError(() => stageUnits(chain, nWorkers, keys), NO_STAGES);
  },
};
