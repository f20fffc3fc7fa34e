import { PlatformFailure } from '../domain/failure.ts';
import { dataParallel } from './data-parallel.ts';
import { inOrder } from './in-order.ts';
import type { BoundStrategy, StrategyEntry } from './strategy.ts';

/** Every strategy. A new one is one file and one line here; config, schema, help and conformance follow. */
export const STRATEGIES: readonly StrategyEntry[] = [inOrder, dataParallel];

/** The strategy of this name with its options applied; `StrategyRefused` when there is none or they do not fit. */
export function bindStrategy(name: string, options: unknown): BoundStrategy {
  const entry = STRATEGIES.find((strategy) => strategy.name === name);
  if (entry === undefined) {
    const names = STRATEGIES.map((strategy) => strategy.name).join(', ');
    throw new PlatformFailure('StrategyRefused', `there is no strategy named ${name}`, `choose one of: ${names}`);
  }
  const parsed = entry.options.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`).join('; ');
    throw new PlatformFailure(
      'StrategyRefused',
      `the options of strategy ${name} do not fit: ${problems}`,
      'see docs/strategies or config/full.yaml',
    );
  }
  return entry.bind(parsed.data);
}
