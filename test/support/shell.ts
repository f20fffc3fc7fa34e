import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Lines of a shell, run in a checkout as a person types them there. */

/**
 * `pkill -9 -f TEXT` as the real one, but only among the processes of one checkout: a person means what runs
 * here, while a test must not reach what else runs on the machine.
 */
const PKILL = `#!/bin/sh
[ "$#" = 3 ] && [ "$1 $2" = "-9 -f" ] || { echo "pkill: this test knows only pkill -9 -f TEXT" >&2; exit 64; }
killed=1
for file in /proc/[0-9]*/cmdline; do
  [ "$file" = "/proc/$$/cmdline" ] && continue
  command=$(tr '\\0' ' ' < "$file" 2>/dev/null) || continue
  case "$command" in *"$CHECKOUT/"*) ;; *) continue ;; esac
  case "$command" in *"$3"*) pid=\${file#/proc/}; kill -9 "\${pid%/cmdline}" && killed=0 ;; esac
done
exit $killed
`;

/** A shell command that runs. */
export interface Typed {
  /** All that it printed so far. */
  said(): string;
  /** Waits until it has said this; fails when it ends before. */
  saying(pattern: RegExp): Promise<void>;
  /** Exit code, and all that it printed. */
  readonly ended: Promise<{ code: number | null; said: string }>;
  /** A signal to all that it started in its group, as from a terminal. */
  signal(name: NodeJS.Signals): void;
}

/** A terminal in the folder of a checkout. */
export interface Terminal {
  /** Starts a line, or several. */
  type(script: string, env?: Readonly<Record<string, string>>): Typed;
  /** Ends whatever still runs in it. */
  close(): Promise<void>;
}

/** Opens a terminal in a checkout; the variables that settings of this process would come by are left out. */
export function openTerminal(checkout: string): Terminal {
  const tools = join(dirname(checkout), 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'pkill'), PKILL);
  chmodSync(join(tools, 'pkill'), 0o755);
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:SCIENTIST_|TEMPORAL_|npm_|NODE_|VITEST)/.test(name));
  const env = { ...Object.fromEntries(kept), PATH: `${tools}:${process.env['PATH'] ?? ''}`, CHECKOUT: checkout, NO_COLOR: '1' };
  const running = new Set<ChildProcess>();
  return {
    type: (script, more = {}) => {
      const child = spawn('sh', ['-c', script], { cwd: checkout, env: { ...env, ...more }, detached: true, stdio: 'pipe' });
      running.add(child);
      child.once('close', () => running.delete(child));
      return typed(child, script);
    },
    close: async () => {
      const left = [...running].map((child) => {
        signalGroup(child, 'SIGKILL');
        return once(child, 'close');
      });
      await Promise.all(left);
    },
  };
}

function typed(child: ChildProcess, script: string): Typed {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stdin?.end();
  let over = false;
  const ended = once(child, 'close').then(() => {
    over = true;
    return { code: child.exitCode, said: text };
  });
  return {
    said: () => text,
    ended,
    signal: (name) => {
      signalGroup(child, name);
    },
    saying: async (pattern) => {
      while (!pattern.test(text)) {
        if (over) throw new Error(`${script} ended before it said ${String(pattern)}:\n${text}`);
        await sleep(50);
      }
    },
  };
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
}

/** What a file of a checkout says, after a change that must find its place. */
export function rewrite(path: string, from: RegExp, to: string): void {
  const before = readFileSync(path, 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${path} has no ${String(from)}`);
  writeFileSync(path, after);
}
