import { execFile } from 'node:child_process';
import type { StrategyModule } from '../adapters/own-strategies.ts';
import { clip, oneLine, PlatformFailure } from '../domain/failure.ts';
import { entryPath } from './launch.ts';
import { bundlePath, EXIT_REFUSED } from './workflow-bundle.ts';

/**
 * The bundle of the workflow code with these modules. Bundling needs more than a hundred megabytes that this process
 * would keep, so another one does it. `log` is told what it says.
 *
 * @throws PlatformFailure `StrategyRefused` when one of the modules cannot be part of it, `HostFailed` when the machine is
 * at fault
 */
export async function bundledElsewhere(
  modules: readonly StrategyModule[],
  log: (text: string) => void,
): Promise<{ codePath: string }> {
  const { codePath, isThere } = await bundlePath(modules);
  if (isThere) return { codePath };
  log('bundling the workflow code');
  const { code, said } = await ranToEnd([entryPath('bundle'), JSON.stringify(modules)]);
  if (code === 0) {
    log(said);
    return { codePath };
  }
  const what = `the workflow code cannot be bundled: ${clip(oneLine(said.replaceAll(/\s+/g, ' ')), 500)}`;
  if (code === EXIT_REFUSED && modules.length > 0)
    throw new PlatformFailure('StrategyRefused', what, 'correct the module of the strategy: see docs/strategies.md');
  throw new PlatformFailure('HostFailed', what, 'see what it says, and start again');
}

function ranToEnd(args: readonly string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, _stdout, stderr) => {
      resolve({ code: child.exitCode, said: stderr.trim() });
    });
  });
}
