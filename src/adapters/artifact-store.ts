import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalText, Experiment } from '../domain/experiment.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { Ref } from '../domain/ids.ts';
import { orNull, writeFileAtomic } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';

/**
 * The run's store of bytes under their content address. A stored artifact is never changed, so a ref that
 * was once given out names the same bytes for ever; damage is noticed on reading.
 */

/** The content address of some bytes. */
export function refOf(bytes: string | Uint8Array): Ref {
  return Ref.parse(createHash('sha256').update(bytes).digest('hex').slice(0, 32));
}

/** Stores bytes; storing the same bytes again does nothing, or mends a damaged copy. */
export async function putArtifact(home: Home, runId: string, bytes: string | Uint8Array): Promise<Ref> {
  const ref = refOf(bytes);
  const path = runPaths(home, runId).artifact(ref);
  const stored = await orNull(readFile(path));
  if (stored === null || refOf(stored) !== ref) await writeFileAtomic(path, bytes);
  return ref;
}

/**
 * Reads stored bytes and checks them against their address.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`.
 */
export async function getArtifact(home: Home, runId: string, ref: Ref): Promise<Buffer> {
  const path = runPaths(home, runId).artifact(ref);
  const fix = 'Restore the file from a copy of the run’s folder, or start the run afresh.';
  const bytes = await orNull(readFile(path));
  if (bytes === null) throw new PlatformFailure('ArtifactMissing', `The artifact ${path} is not there.`, fix);
  if (refOf(bytes) !== ref)
    throw new PlatformFailure('ArtifactCorrupt', `The bytes of ${path} are not those that were stored.`, fix);
  return bytes;
}

/** Stores an experiment as its one text; equal experiments get equal refs. */
export async function putExperiment(home: Home, runId: string, experiment: Experiment): Promise<Ref> {
  return putArtifact(home, runId, canonicalText(experiment));
}

/**
 * Reads an experiment.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`.
 */
export async function getExperiment(home: Home, runId: string, ref: Ref): Promise<Experiment> {
  const bytes = await getArtifact(home, runId, ref);
  try {
    return Experiment.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof SyntaxError)) throw error;
    throw new PlatformFailure(
      'ArtifactCorrupt',
      `The artifact ${ref} of run ${runId} is not an experiment: ${error.message}`,
      'Give the ref of an experiment.',
      { cause: error },
    );
  }
}
