import { z } from 'zod';

/** How much of the disk a run takes, by what it is. */

/** The parts of a run's folder. `attempts` are the evaluations' output, figures and results; `other` the rest: task, nodes, report. */
export const DISK_PARTS = ['attempts', 'checkpoints', 'artifacts', 'journal', 'reruns', 'other'] as const;
/** A part of a run's folder. */
export type DiskPart = (typeof DISK_PARTS)[number];

/** What a run's folder takes, bytes. */
export const DiskUse = z.strictObject({
  bytes: z.number().int().min(0),
  parts: z.record(z.enum(DISK_PARTS), z.number().int().min(0)),
  /** Whether all of it was looked at; otherwise it takes at least this much. */
  complete: z.boolean(),
});
export type DiskUse = z.infer<typeof DiskUse>;

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes in words: `512 bytes`, `1.2 MiB`, `34 GiB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.floor(value)} ${UNITS[power - 1] ?? ''}`;
}

/** What a run takes in one line: `3.4 MiB: attempts 2.1 MiB, journal 96 KiB`; parts of nothing are left out. */
export function diskUseText({ bytes, parts, complete }: DiskUse): string {
  const named = DISK_PARTS.filter((part) => parts[part] > 0).sort((a, b) => parts[b] - parts[a]);
  const list = named.map((part) => `${part} ${bytesText(parts[part])}`).join(', ');
  return `${complete ? '' : 'more than '}${bytesText(bytes)}${list === '' ? '' : `: ${list}`}`;
}
