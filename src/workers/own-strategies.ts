import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../adapters/layout.ts';
import {
  keepModule,
  keptModules,
  loadModule,
  readProjectModule,
  withCopy,
  type ModuleSource,
  type StrategyModule,
  type StrategyPlace,
} from '../adapters/own-strategies.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { ownName, ownNameParts, registerOwn } from '../strategies/own/modules.ts';
import { ownEntry } from '../strategies/own/own.ts';
import { bundledElsewhere } from './bundling.ts';
import type { RoleLog } from './log.ts';
import type { Part } from './worker-process.ts';

/** Users' strategies: how a home takes one in, and how its control worker comes by it. */

/** A strategy that a home has. */
export interface AdmittedStrategy {
  /** The name by which a plan has it. */
  readonly name: string;
  /** The hash of its module; `null` for one of the registry. */
  readonly hash: string | null;
}

/** What taking in a strategy needs. */
export interface Admission {
  readonly home: Home;
  readonly log: (text: string) => void;
  /** Looks at a strategy that was loaded from a file, and throws when it will not do. */
  readonly check?: (found: { path: string; where: string; exported: string }) => Promise<void>;
}

/**
 * The strategy of a config, kept in the home when it is the user's own, and known to this process from then on.
 *
 * @throws PlatformFailure `StrategyRefused` when it is not there or no strategy; `HostFailed` when it cannot be bundled for
 * reasons of the machine
 */
export async function admitStrategy(admission: Admission, place: StrategyPlace): Promise<AdmittedStrategy> {
  const { name, module, export: exported } = place;
  const kept = await keptModules(admission.home);
  if (typeof module !== 'string') return keptStrategy(admission, name, kept);
  if (typeof exported !== 'string')
    throw new PlatformFailure('StrategyRefused', `${module}: no export is named`, 'set export beside module');
  const source = await readProjectModule(admission.home, module);
  const known = kept.find(({ hash }) => hash === source.hash);
  if (known !== undefined) await look(admission, { path: known.path, where: source.where, exported, hash: known.hash });
  else await takeIn(admission, { source, exported, kept });
  return { name: ownName(source.hash, exported), hash: source.hash };
}

/** A name of the registry, or of a strategy that was taken in before. */
async function keptStrategy(admission: Admission, name: string, kept: readonly StrategyModule[]): Promise<AdmittedStrategy> {
  const parts = ownNameParts(name);
  if (parts === null) return { name, hash: null };
  const module = kept.find(({ hash }) => hash === parts.hash);
  if (module === undefined)
    throw new PlatformFailure('StrategyRefused', `this project has no strategy ${name}`, 'name its module: strategy.module');
  await look(admission, { path: module.path, where: name, exported: parts.exported, hash: module.hash });
  return { name, hash: parts.hash };
}

/** Nothing is kept before all was looked at, and the workflow code was bundled with it (M1). */
async function takeIn(
  admission: Admission,
  { source, exported, kept }: { source: ModuleSource; exported: string; kept: readonly StrategyModule[] },
): Promise<void> {
  await withCopy(source, async ({ hash, path }) => {
    await look(admission, { path, where: source.where, exported, hash });
    await bundledElsewhere([...kept, { hash, path }], admission.log);
  });
  await keepModule(admission.home, source);
}

async function look(
  { check }: Admission,
  { hash, ...found }: { path: string; where: string; exported: string; hash: string },
): Promise<void> {
  const { path, where, exported } = found;
  const exports = await loadModule(path, where);
  ownEntry({ name: ownName(hash, exported), where, exports, exported });
  await check?.(found);
  registerOwn(hash, () => exports);
}

/** The modules that a control worker has in its code, and what it does when there are others. */
export interface OwnStrategies {
  readonly codePath: string;
  /** Ends when the home has a module that the code lacks, so that the next worker is started with it. */
  readonly watch: Part;
  /** The name of a strategy of a config; throws a retryable failure while the code lacks it. */
  readonly nameOf: (place: StrategyPlace) => Promise<string>;
}

const LOOK_MS = 1000;

/** The workflow code of a home, with its own strategies. */
export async function ownStrategies(home: Home, log: RoleLog): Promise<OwnStrategies> {
  const say = (text: string): void => {
    log.info(text);
  };
  const modules = await keptModules(home);
  const { codePath, bundled } = await withOrWithout(modules, log, say);
  return {
    codePath,
    watch: watchModules(home, log, new Set(modules.map(({ hash }) => hash))),
    nameOf: async (place) => {
      const { name, hash } = await admitStrategy({ home, log: say }, place);
      if (hash === null || bundled.has(hash)) return name;
      const where = place.module ?? name;
      throw new PlatformFailure(
        'HostFailed',
        `The worker does not have the strategy ${where} yet.`,
        'Nothing: it starts again with it.',
      );
    },
  };
}

/** Modules that were bundled once may be refused by another version; then the runs that use them wait, and no other. */
async function withOrWithout(
  modules: readonly StrategyModule[],
  log: RoleLog,
  say: (text: string) => void,
): Promise<{ codePath: string; bundled: ReadonlySet<string> }> {
  try {
    return { ...(await bundledElsewhere(modules, say)), bundled: new Set(modules.map(({ hash }) => hash)) };
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.type !== 'StrategyRefused') throw error;
    log.error(`going on without the strategies of this project: ${error.message}`);
    return { ...(await bundledElsewhere([], say)), bundled: new Set() };
  }
}

function watchModules(home: Home, log: RoleLog, known: ReadonlySet<string>): Part {
  const stop = new AbortController();
  return {
    run: async () => {
      while (!stop.signal.aborted) {
        await sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
        const added = await addedModules(home, log, known);
        if (added.length === 0) continue;
        log.info(`ending, to start again with the strategies ${added.join(', ')}`);
        return;
      }
    },
    shutdown: () => {
      stop.abort();
    },
  };
}

async function addedModules(home: Home, log: RoleLog, known: ReadonlySet<string>): Promise<string[]> {
  try {
    return (await keptModules(home)).map(({ hash }) => hash).filter((hash) => !known.has(hash));
  } catch (error) {
    log.warn(`the strategies of the project cannot be listed: ${String(error)}`);
    return [];
  }
}
