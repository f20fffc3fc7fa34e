import { z } from 'zod';
import { RunId } from './ids.ts';

/** Input of `journalEnd`: of which run, and the first event that is counted. */
export const JournalEndInput = z.strictObject({ runId: RunId, from: z.number().int().min(0) });
export type JournalEndInput = z.infer<typeof JournalEndInput>;

/** Where the journal of a run ends, and what its last events were. */
export const JournalEnd = z.strictObject({
  /** Number of the event after the last one. */
  nextSeq: z.number().int().min(0),
  /** Nodes and dropped items since the first event that is counted. */
  good: z.number().int().min(0),
  buggy: z.number().int().min(0),
  dropped: z.number().int().min(0),
});
export type JournalEnd = z.infer<typeof JournalEnd>;
