import { bytesText } from '../../domain/disk-use.ts';
import { CLEAN_PARTS, type CleanPart, type CleanPlan, type CleanWish, type Removal } from '../../domain/retention.ts';
import { countText } from './numbers.ts';
import { tableLines } from './table.ts';

/** What each part is, in words. */
const ABOUT: Readonly<Record<CleanPart, string>> = {
  attempts: 'attempts that a later one superseded',
  checkpoints: 'checkpoints of finished evaluations',
  reruns: 'reruns',
  cache: 'shared results',
  runs: 'whole runs that are over',
};

/** Paths of one part that are listed; of more, the rest is counted. */
const MOST_LISTED = 20;

/** How a dry run is told. */
export interface CleanTelling {
  readonly wish: CleanWish;
  /** The flags as they were given, without `--yes`. */
  readonly flags: readonly string[];
  /** A removal's path as people see it. */
  readonly shown: (removal: Removal) => string;
}

/** What would go, how much that is, and the command that removes it. */
export function cleanLines({ removals }: CleanPlan, { wish, flags, shown }: CleanTelling): string[] {
  if (removals.length === 0) return ['there is nothing to remove'];
  const asksAll = flags.length === 0;
  const parts = CLEAN_PARTS.flatMap((part) => partOf(part, removals));
  const command = ['scientist clean', ...wish.runs];
  return [
    ...tableLines(
      parts.map(({ part, bytes, count }) => [
        ABOUT[part],
        String(count),
        bytesText(bytes),
        asksAll ? [...command, `--${part}`, '--yes'].join(' ') : '',
      ]),
    ),
    ...(asksAll ? [] : parts.flatMap(({ list }) => pathLines(list, shown))),
    asksAll
      ? 'nothing was changed; the commands at the right remove it; with one of the flags and without --yes, the paths are shown'
      : `nothing was changed; to remove ${countText(removals.length, 'thing')}: ${[...command, ...flags, '--yes'].join(' ')}`,
  ];
}

/** Which runs are left alone and why; and that no server could be asked. */
export function keptLines(kept: CleanPlan['kept'], serverAnswers: boolean): string[] {
  return [
    ...(serverAnswers ? [] : ['no server of this project runs: only runs with a report count as over']),
    ...kept.map(({ run, why }) => `${run} is left alone: ${why}`),
  ];
}

function partOf(part: CleanPart, removals: readonly Removal[]) {
  const list = removals.filter((removal) => removal.part === part);
  const bytes = list.reduce((sum, removal) => sum + removal.bytes, 0);
  return list.length === 0 ? [] : [{ part, list, bytes, count: list.length }];
}

function pathLines(list: readonly Removal[], shown: CleanTelling['shown']): string[] {
  const lines = list.slice(0, MOST_LISTED).map((removal) => `  ${shown(removal)}  ${bytesText(removal.bytes)}`);
  return list.length > MOST_LISTED ? [...lines, `  and ${list.length - MOST_LISTED} more`] : lines;
}
