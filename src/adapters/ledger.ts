import { mkdir, open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerLine } from '../domain/ledger.ts';
import { orNull } from './atomic-file.ts';
import { homePaths, type Home } from './layout.ts';

/** The ledgers of a project: `.scientist/ledgers/<device>.jsonl`, appended to and never rewritten. */

/** What could be read of the ledgers. */
export interface Ledger {
  readonly lines: readonly LedgerLine[];
  /** Lines that could not be read, such as one that a loss of power cut off. */
  readonly unreadable: number;
}

/** Appends a line to its device's ledger; it is on disk when this returns. */
export async function appendLedger(home: Home, line: LedgerLine): Promise<void> {
  const folder = homePaths(home).ledgers;
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, `${line.device}.jsonl`), 'a+');
  try {
    const start = (await endsCleanly(file)) ? '' : '\n';
    await file.appendFile(`${start}${JSON.stringify(LedgerLine.parse(line))}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Reads the ledger of one device; an empty one when it has none yet. */
export async function readLedger(home: Home, device: string): Promise<Ledger> {
  const text = (await orNull(readFile(join(homePaths(home).ledgers, `${device}.jsonl`), 'utf8'))) ?? '';
  const written = text.split('\n').filter((line) => line !== '');
  const lines = written.flatMap(readLine);
  return { lines, unreadable: written.length - lines.length };
}

/** Reads the ledgers of all devices, one after the other. */
export async function readLedgers(home: Home): Promise<Ledger> {
  const names = (await orNull(readdir(homePaths(home).ledgers))) ?? [];
  const devices = names.filter((name) => name.endsWith('.jsonl')).sort();
  const ledgers = await Promise.all(devices.map((name) => readLedger(home, name.slice(0, -'.jsonl'.length))));
  return {
    lines: ledgers.flatMap(({ lines }) => lines),
    unreadable: ledgers.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

/** A line that was cut off must not swallow the next one. */
async function endsCleanly(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === '\n';
}

function readLine(text: string): LedgerLine[] {
  try {
    return [LedgerLine.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}
