import { appendFileSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { orNull } from '../adapters/atomic-file.ts';
import type { Home } from '../adapters/layout.ts';
import { logPath } from './records.ts';

/** Plain log files, one per role, for people: `<time> <level> <text>`. */
export interface RoleLog {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** A log is put aside (one older file is kept) when its process starts and it is larger than this. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;

/** The log of a role. Writing never fails a worker: a full disk loses log lines, not work. */
export function openLog(home: Home, role: string): RoleLog {
  const path = logPath(home, role);
  const write = (level: string) => (text: string) => {
    try {
      appendFileSync(path, `${new Date().toISOString()} ${level} ${text}\n`);
    } catch {
      // Nowhere to say it.
    }
  };
  return { info: write('INFO'), warn: write('WARN'), error: write('ERROR') };
}

/** Opens the log file of a role for a child's output, after putting a large one aside. The caller closes it. */
export function openLogFile(home: Home, role: string): number {
  const path = logPath(home, role);
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
}

/** The last lines of a role's log, for an error message; empty when there is none. */
export async function logTail(home: Home, role: string, lines = 8): Promise<string> {
  const text = await orNull(readFile(logPath(home, role), 'utf8'));
  const tail = (text ?? '')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => `  ${line.slice(0, 300)}`);
  return text === null || text.trim() === '' ? '' : `Last lines of ${logPath(home, role)}:\n${tail.join('\n')}`;
}
