import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunConfig } from '../domain/config.ts';
import { clip, oneLine, PlatformFailure } from '../domain/failure.ts';
import { StageName } from '../domain/ids.ts';
import { orNull, writeFileAtomic } from './atomic-file.ts';
import { findConfig } from './config-path.ts';
import { homePaths, type Home } from './layout.ts';
import { importProblem } from './module-imports.ts';

/**
 * The modules of users' strategies. A module is kept under the hash of its bytes, so a run finds the one that it began
 * with, whatever becomes of the file that the config named.
 *
 * M1 A module that is kept was bundled with the workflow code before: one that could not be would stop every run.
 * M2 A kept file is never changed.
 */

/** A module as a user wrote it. */
export interface ModuleSource {
  /** How errors call it: the path that was given. */
  readonly where: string;
  readonly text: string;
  readonly hash: string;
  readonly extension: string;
}

/** A module as the workflow code is made with it. */
export interface StrategyModule {
  readonly hash: string;
  /** Absolute path. */
  readonly path: string;
}

/** What of a strategy in a config says where it is. */
export interface StrategyPlace {
  readonly name: string;
  readonly module?: string | null;
  readonly export?: string | null;
}

const KEPT = /^([0-9a-f]{16})\.(?:ts|js|mjs)$/;
const EXTENSIONS = ['.ts', '.js', '.mjs'];
const MAX_BYTES = 256 * 1024;
const FIX = 'see docs/strategies.md; to find it: scientist strategies check FILE';

/**
 * Reads the module that a config names: in the project, or beside the program.
 *
 * @throws PlatformFailure `StrategyRefused` when it is not there, lies elsewhere, or is not one file of its own
 */
export async function readProjectModule(home: Home, path: string): Promise<ModuleSource> {
  const found = await findConfig(home, path).catch((error: unknown) => {
    if (!(error instanceof PlatformFailure)) throw error;
    throw refused(path, `lies outside the project (${home.root})`, 'copy it into the project, e.g. into its folder strategies');
  });
  return readModule(found, path);
}

/** Reads a module of anywhere; `where` is how errors call it. */
export async function readModule(path: string, where: string): Promise<ModuleSource> {
  const extension = extname(path);
  if (!EXTENSIONS.includes(extension)) throw refused(where, `is no ${EXTENSIONS.join(', ')} file`);
  const bytes = await orNull(readFile(path));
  if (bytes === null) throw refused(where, 'is not there', 'correct the path; that of a config counts from the project');
  if (bytes.length > MAX_BYTES) throw refused(where, `has ${bytes.length} bytes, ${MAX_BYTES} at most`);
  const text = bytes.toString('utf8');
  const problem = importProblem(text);
  if (problem !== null) throw refused(where, problem);
  return { where, text, extension, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}

/** The modules that a home keeps, by hash. */
export async function keptModules(home: Home): Promise<StrategyModule[]> {
  const folder = homePaths(home).strategies;
  const names = (await orNull(readdir(folder))) ?? [];
  return names.sort().flatMap((name) => {
    const [, hash] = KEPT.exec(name) ?? [];
    return hash === undefined ? [] : [{ hash, path: join(folder, name) }];
  });
}

/** Uses a copy of a module that nobody else has; it is removed afterwards. */
export async function withCopy<T>(source: ModuleSource, use: (copy: StrategyModule) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'scientist-strategy-'));
  try {
    await writeFile(join(folder, 'package.json'), MODULES);
    const path = join(folder, `${source.hash}${source.extension}`);
    await writeFile(path, source.text);
    return await use({ hash: source.hash, path });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Keeps a module; safe to repeat. */
export async function keepModule(home: Home, { hash, extension, text }: ModuleSource): Promise<StrategyModule> {
  const path = join(homePaths(home).strategies, `${hash}${extension}`);
  await writeFileAtomic(join(homePaths(home).strategies, 'package.json'), MODULES);
  await writeFileAtomic(path, text);
  return { hash, path };
}

/**
 * What a module exports. `instance` tells apart several that are loaded from one file, each with its own variables.
 *
 * @throws PlatformFailure `StrategyRefused` when it is no JavaScript, or throws
 */
export async function loadModule(path: string, where: string, instance = 0): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(`${pathToFileURL(path).href}?instance=${instance}`)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw refused(where, `cannot be loaded: ${clip(oneLine(String(error)), 400)}`);
  }
}

/** A config whose strategies are named as the registry does; `nameOf` gives the name of one of the user's own. */
export async function withStrategyNames(
  config: RunConfig,
  nameOf: (place: StrategyPlace, options: unknown) => Promise<string>,
): Promise<RunConfig> {
  const { strategy } = config;
  const name = await nameOf(strategy, strategy.options);
  const stages: RunConfig['strategy']['stages'] = {};
  for (const stage of StageName.options) {
    const own = strategy.stages[stage];
    if (own !== undefined) stages[stage] = { name: await nameOf(own, own.options), options: own.options };
  }
  return { ...config, strategy: { ...strategy, name, module: null, export: null, stages } };
}

/** The files are modules of today's JavaScript, whatever lies around them. */
const MODULES = '{ "type": "module" }\n';

function refused(where: string, what: string, fix = FIX): PlatformFailure {
  return new PlatformFailure('StrategyRefused', `${where} ${what}`, fix);
}
