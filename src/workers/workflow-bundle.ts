import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { z } from 'zod';
import { orNull, writeFileAtomic } from '../adapters/atomic-file.ts';
import type { StrategyModule } from '../adapters/own-strategies.ts';
import { PACKAGE_ROOT } from '../adapters/project.ts';
import { messageOf } from '../domain/failure.ts';

/**
 * The workflow code as one file. Bundling takes seconds and a hundred megabytes, so it is done once per
 * content of the sources and kept on disk; the workers of all homes and the tests share it. A home with strategies of
 * its own has a bundle that holds them too.
 */

const HERE = fileURLToPath(import.meta.url);
const SRC = dirname(dirname(HERE));
/** Folders of `src/` that workflows may import (the layer rule). */
const SOURCES = ['domain', 'search', 'strategies', 'report', 'workflows'];
const CACHE = join(PACKAGE_ROOT, '.scientist', 'cache');
/** Bundles kept: a branch or two, and what still runs. */
const KEPT = 4;

/** Names of bundles without modules, and with them. */
const [COMMON, WITH_OWN] = ['workflows-', 'own-workflows-'];

/** Told while the bundle is made. */
export type BundleLog = (text: string) => void;

/** Exit code of the process that bundles when the sources are at fault, not the machine. */
export const EXIT_REFUSED = 2;

/** What cannot be bundled, for reasons of the sources. */
export class BundleRefused extends Error {
  override readonly name = 'BundleRefused';
}

/** Where the bundle of the current sources with these modules lies, and whether it is there yet. */
export async function bundlePath(modules: readonly StrategyModule[] = []): Promise<{ codePath: string; isThere: boolean }> {
  const codePath = join(CACHE, await bundleName(modules));
  return { codePath, isThere: (await orNull(stat(codePath))) !== null };
}

/** The modules that a bundle is made from. */
export function workflowModules(): { workflowsPath: string; payloadConverterPath: string } {
  const moduleOf = (name: string): string => join(SRC, 'workflows', `${name}${extname(HERE)}`);
  return { workflowsPath: moduleOf('index'), payloadConverterPath: moduleOf('payload-converter') };
}

/**
 * The bundle of the current sources with these modules; made when it is not there yet.
 *
 * @throws BundleRefused when they cannot be bundled
 */
export async function workflowBundle(
  log: BundleLog = () => undefined,
  modules: readonly StrategyModule[] = [],
): Promise<{ codePath: string }> {
  const { codePath, isThere } = await bundlePath(modules);
  if (isThere) return { codePath };
  const began = performance.now();
  const logger = new DefaultLogger('WARN', ({ message }) => {
    log(message);
  });
  const code = modules.length === 0 ? await bundled(workflowModules(), logger) : await bundledWith(modules, logger);
  await writeFileAtomic(codePath, code);
  log(`workflow code bundled in ${Math.round(performance.now() - began)} ms`);
  await prune();
  return { codePath };
}

async function bundled(from: ReturnType<typeof workflowModules>, logger: DefaultLogger): Promise<string> {
  try {
    return (await bundleWorkflowCode({ ...from, logger })).code;
  } catch (error) {
    throw new BundleRefused(messageOf(error), { cause: error });
  }
}

/** The bundle of an entry of its own, which makes the modules known and then is what the other bundle is. */
async function bundledWith(modules: readonly StrategyModule[], logger: DefaultLogger): Promise<string> {
  const workflowsPath = join(CACHE, `entry-${randomUUID()}.ts`);
  await writeFileAtomic(workflowsPath, entryText(modules));
  try {
    return await bundled({ ...workflowModules(), workflowsPath }, logger);
  } finally {
    await rm(workflowsPath, { force: true });
  }
}

/** Modules are loaded by the workflows that use them, so that one that fails harms no other. */
function entryText(modules: readonly StrategyModule[]): string {
  const file = (...path: string[]): string => JSON.stringify(`${join(SRC, ...path)}${extname(HERE)}`);
  const index = JSON.stringify(workflowModules().workflowsPath);
  const lines = [
    `import { registerOwn } from ${file('strategies', 'own', 'modules')};`,
    `import { orFailWorkflow } from ${file('workflows', 'failures')};`,
    ...modules.map(({ hash, path }) => `registerOwn('${hash}', () => require(${JSON.stringify(path)}), orFailWorkflow);`),
    `export * from ${index};`,
    `export { default } from ${index};`,
  ];
  return `${lines.join('\n')}\n`;
}

async function bundleName(modules: readonly StrategyModule[]): Promise<string> {
  const sources = await sourcesHash();
  if (modules.length === 0) return `${COMMON}${sources}.cjs`;
  const hashes = modules.map(({ hash }) => hash).sort();
  return `${WITH_OWN}${createHash('sha256')
    .update([sources, ...hashes].join('\n'))
    .digest('hex')
    .slice(0, 20)}.cjs`;
}

/**
 * A hash over everything that the bundle is made of: the sources, and the versions of what they import. The SDK's is
 * the one that is installed, since a worker of another version may not load the bundle, or read it wrongly.
 */
export async function sourcesHash(sdk = sdkVersion()): Promise<string> {
  const hash = createHash('sha256').update(`${process.version}\n${sdk}\n`);
  for (const name of ['package.json', 'package-lock.json']) hash.update((await orNull(readFile(join(PACKAGE_ROOT, name)))) ?? '');
  for (const path of await sourceFiles()) hash.update(`\n${relative(SRC, path)}\n`).update(await readFile(path));
  return hash.digest('hex').slice(0, 20);
}

function sdkVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('@temporalio/worker/package.json');
  return z.object({ version: z.string() }).parse(manifest).version;
}

async function sourceFiles(): Promise<string[]> {
  const folders = await Promise.all(SOURCES.map((name) => readdir(join(SRC, name), { recursive: true, withFileTypes: true })));
  const files = folders.flat().filter((file) => file.isFile() && /\.(ts|js)$/.test(file.name));
  return files.map((file) => join(file.parentPath, file.name)).sort();
}

/** Removes the oldest bundles of each kind; one that a worker still uses was read whole when it started. */
async function prune(): Promise<void> {
  for (const kind of [COMMON, WITH_OWN]) {
    const names = (await readdir(CACHE)).filter((name) => name.startsWith(kind));
    const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(CACHE, name))).mtimeMs })));
    const old = aged.sort((a, b) => b.at - a.at).slice(KEPT);
    await Promise.all(old.map(({ name }) => rm(join(CACHE, name), { force: true })));
  }
}
