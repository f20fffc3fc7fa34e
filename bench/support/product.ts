import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../../src/adapters/layout.ts';
import { isHomeAlive } from '../../src/workers/records.ts';

/** The product as a person runs it: a command, its lines as they come, and its time. */

/** A command and where it runs. */
export interface ProductCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Told every line of its output, with the milliseconds since its start. */
  readonly onLine?: (line: string, ms: number) => void;
}

/**
 * Runs a command to its end; gives the milliseconds that it took.
 *
 * @throws Error with all that it printed when its exit code is not 0
 */
export async function runProduct({ command, args, cwd, env, onLine }: ProductCommand): Promise<number> {
  const began = performance.now();
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      said.push(line);
      onLine?.(line, performance.now() - began);
    });
  }
  await once(child, 'close');
  if (child.exitCode !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${child.exitCode ?? 'a signal'}:\n${said.join('\n')}`);
  return performance.now() - began;
}

/** Waits until nothing runs in a home any more, so that it can be removed and the next measurement starts alone. */
export async function untilQuiet(home: Home): Promise<void> {
  while (await isHomeAlive(home)) await sleep(100);
}
