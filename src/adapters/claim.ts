import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { AttemptRecord } from '../domain/attempt.ts';
import { DeviceName } from '../domain/ids.ts';
import { hasCode, orNull, readJsonOrNull } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';
import { shimOf } from './process-group.ts';
import { isAlive, ownIdentity, ProcessIdentity } from './process-identity.ts';

/**
 * Who works on an evaluation. Two devices may be given the same work (a node proposed twice, a dispatch after
 * a worker fell silent that still runs); the second waits for the result of the first.
 *
 * C1 A claim counts while its worker or its shim is alive on this boot of this machine; then it is taken over.
 *    One whose worker is alive but does nothing is settled by who waits for it (adapters/take-over.ts).
 * C2 A claim appears whole, by a hard link, and only one of those who make it at once succeeds.
 */
const Claim = z.strictObject({ worker: ProcessIdentity, device: DeviceName, attempt: z.string() });
/** Who has an evaluation. */
export type Claim = z.infer<typeof Claim>;

/** Takes the claim on an evaluation; `false` while another attempt that is alive has it. */
export async function takeClaim(home: Home, record: AttemptRecord): Promise<boolean> {
  const path = claimPath(home, record);
  const mine: Claim = { worker: ownIdentity(), device: record.device, attempt: record.attempt };
  if (await create(path, mine)) return true;
  const text = await orNull(readFile(path, 'utf8'));
  const held = await readJsonOrNull(path, Claim);
  if (held !== null && (await isHeld(home, record, held))) return false;
  if (text !== null) await remove(path, text);
  return create(path, mine);
}

/** Who has the evaluation of an attempt, alive or not; `null` when nobody has, or it cannot be read. */
export async function holderOf(home: Home, record: AttemptRecord): Promise<Claim | null> {
  return readJsonOrNull(claimPath(home, record), Claim);
}

/** Gives up the claim of an attempt; does nothing when another one has it by now. */
export async function releaseClaim(home: Home, record: AttemptRecord): Promise<void> {
  const path = claimPath(home, record);
  const held = await readJsonOrNull(path, Claim);
  if (held?.device === record.device && held.attempt === record.attempt) await rm(path, { force: true });
}

/** A device runs one attempt at a time, so a claim of our own device is left over from an earlier one. */
async function isHeld(home: Home, record: AttemptRecord, held: Claim): Promise<boolean> {
  const shim = await shimOf(runPaths(home, record.runId).attempt(record.evaluation, held.attempt));
  if (shim !== null && isAlive(shim)) return true;
  const isOurs = held.device === record.device && held.worker.pid === process.pid;
  return !isOurs && isAlive(held.worker);
}

async function create(path: string, claim: Claim): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID().slice(0, 8)}`;
  await writeFile(draft, JSON.stringify(claim));
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes a dead claim, and not the one that somebody put in its place meanwhile. */
async function remove(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== text) await link(aside, path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function claimPath(home: Home, record: AttemptRecord): string {
  return join(runPaths(home, record.runId).evaluation(record.evaluation), 'claim.json');
}
