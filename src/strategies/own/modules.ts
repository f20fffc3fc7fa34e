import { PlatformFailure } from '../../domain/failure.ts';
import { ownEntry, type Guard } from './own.ts';
import type { StrategyEntry } from '../strategy.ts';

/**
 * The strategies of users that this process has, by name. A plan names one by the hash of its module, so an edited
 * file is another strategy, and a run keeps the one that it began with.
 */

const NAME = /^own:([0-9a-f]{16}):([A-Za-z_$][\w$]{0,59})$/;

interface OwnModule {
  readonly load: () => Readonly<Record<string, unknown>>;
  readonly guard: Guard;
}

const modules = new Map<string, OwnModule>();

/** The name of an export of the module with this hash: `own:<hash>:<export>`. */
export function ownName(hash: string, exported: string): string {
  return `own:${hash}:${exported}`;
}

/** The two parts of a name; `null` for one that is none of a user's strategy. */
export function ownNameParts(name: string): { readonly hash: string; readonly exported: string } | null {
  const [, hash, exported] = NAME.exec(name) ?? [];
  return hash === undefined || exported === undefined ? null : { hash, exported };
}

/**
 * Makes a module's strategies known. It is loaded when one is asked for first, so that a module that cannot be loaded
 * here harms only the runs that use it; `guard` runs what it decides, and may turn its failures into others.
 */
export function registerOwn(hash: string, load: OwnModule['load'], guard: Guard = (decide) => decide()): void {
  modules.set(hash, { load, guard });
}

/**
 * The user's strategy of this name; `null` for a name of another kind.
 *
 * @throws Error when this process does not have the module (yet): a worker with other code may
 * @throws PlatformFailure `StrategyRefused` when the module cannot be loaded, or its export is no strategy
 */
export function ownEntryNamed(name: string): StrategyEntry | null {
  const parts = ownNameParts(name);
  if (parts === null) return null;
  const module = modules.get(parts.hash);
  if (module === undefined)
    throw new Error(`this worker does not have the strategy ${name}: it starts again with it, or another does`);
  return ownEntry({ name, where: name, exports: loaded(name, module), exported: parts.exported }, module.guard);
}

function loaded(name: string, { load }: OwnModule): Readonly<Record<string, unknown>> {
  try {
    return load();
  } catch (error) {
    throw new PlatformFailure('StrategyRefused', `${name} cannot be loaded: ${String(error)}`, 'see docs/strategies.md', {
      cause: error,
    });
  }
}
