import { projectHome } from '../adapters/project.ts';
import type { Home } from '../adapters/layout.ts';

/** A terminal that can be redrawn. */
export interface Terminal {
  write(text: string): void;
  /** Width and height in characters, as they are now. */
  size(): { columns: number; rows: number };
  readonly colour: boolean;
}

/** What a command may touch of the process it runs in. */
export interface Io {
  /** Results, for people and programs. */
  readonly out: (line: string) => void;
  /** Progress, warnings and errors. */
  readonly err: (line: string) => void;
  /** The terminal behind `out`; `null` when it is a file or a pipe. */
  readonly terminal: Terminal | null;
  readonly env: NodeJS.ProcessEnv;
  readonly home: Home;
}

/** The standard streams of this process. */
export function processIo(): Io {
  ignoreClosedPipe(process.stdout);
  ignoreClosedPipe(process.stderr);
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    terminal: terminalOf(process.stdout, process.env),
    env: process.env,
    home: projectHome(),
  };
}

/** A reader such as `head` may go early, and a terminal may be closed; that ends the output, not the command. */
function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

function terminalOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal | null {
  if (!stream.isTTY || env['TERM'] === 'dumb') return null;
  return {
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    colour: (env['NO_COLOR'] ?? '') === '',
  };
}
