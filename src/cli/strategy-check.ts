import { loadModule } from '../adapters/own-strategies.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { conformanceOf, type Checked } from '../strategies/own/conformance.ts';
import { ownEntry } from '../strategies/own/own.ts';

/** A strategy of a user, as an export of a file that can be loaded. */
export interface StrategyFile {
  readonly path: string;
  /** How errors call it. */
  readonly where: string;
  readonly exported: string;
}

/**
 * Checks a user's strategy with these options; the module is loaded twice, as by two workers.
 *
 * @throws PlatformFailure `StrategyRefused` when it cannot be loaded, or is no strategy at all
 */
export async function checkStrategyFile({ path, where, exported }: StrategyFile, options: unknown): Promise<Checked[]> {
  const load = async (instance: number) =>
    ownEntry({ name: exported, where, exported, exports: await loadModule(path, where, instance) }).bind(options);
  return conformanceOf(await load(0), await load(1));
}

/**
 * The same where nothing may be wrong.
 *
 * @throws PlatformFailure `StrategyRefused` with the first thing that is
 */
export async function requireConformance(file: StrategyFile, options: unknown): Promise<void> {
  const wrong = (await checkStrategyFile(file, options)).find(({ problem }) => problem !== null);
  if (wrong === undefined) return;
  throw new PlatformFailure(
    'StrategyRefused',
    `${file.where}: export ${file.exported} breaks the contract (${wrong.name}): ${wrong.problem ?? ''}`,
    `correct it, and see all that is wrong with: scientist strategies check ${file.where} --export ${file.exported}`,
  );
}
