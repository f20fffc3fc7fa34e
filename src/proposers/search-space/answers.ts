import type { ParameterValue } from '../../domain/experiment.ts';
import { clip } from '../../domain/failure.ts';
import type { Proposal } from '../../domain/proposal.ts';
import { activeKeys, type Task } from '../../domain/task.ts';
import { differingKeys, identity, type Point } from './space.ts';

/** A candidate point with the words that go with it. */
export interface Candidate {
  readonly point: Point;
  readonly label: string;
  readonly plan: string;
}

/** The proposal that leads from one point to another: an edit of the keys that count there and have another value. */
export function proposed(task: Task, from: Point, candidate: Candidate): Proposal {
  const active = activeKeys(task, candidate.point);
  const changes = Object.entries(candidate.point).filter(([key, value]) => active.includes(key) && from[key] !== value);
  return {
    status: 'proposed',
    edit: { parameters: Object.fromEntries(changes), files: {} },
    label: clip(candidate.label, 200),
    plan: clip(candidate.plan, 600),
  };
}

/** There is nothing left to try. */
export function exhausted(message: string): Proposal {
  return { status: 'exhausted', message: clip(message, 300) };
}

/** What a candidate must be unlike to be new. */
export interface Known {
  readonly task: Task;
  /** The point that is changed. */
  readonly from: Point;
  /** Identities of points that need no second try. */
  readonly tried: ReadonlySet<string>;
}

/** The candidates that are new, each only once, in their order. Takes no more of them than are asked for. */
export function* fresh({ task, from, tried }: Known, candidates: Iterable<Candidate>): Generator<Candidate> {
  const seen = new Set([...tried, identity(task, from)]);
  for (const candidate of candidates) {
    const id = identity(task, candidate.point);
    if (!seen.has(id)) yield candidate;
    seen.add(id);
  }
}

/** Entry number `index` of a sequence, from 0; `undefined` when it is shorter. */
export function nth<T>(sequence: Iterable<T>, index: number): T | undefined {
  let at = 0;
  for (const entry of sequence) {
    if (at === index) return entry;
    at += 1;
  }
  return undefined;
}

/** What changes between two points, in words: `svm.kernel from rbf to linear, svm.gamma from 1 to 0.3`. */
export function changesText(task: Task, from: Point, to: Point): string {
  const keys = differingKeys(task, from, to).filter((key) => from[key] !== to[key]);
  return keys.map((key) => `${key} from ${text(from[key])} to ${text(to[key])}`).join(', ');
}

/** A value in words. */
export function text(value: ParameterValue | undefined): string {
  return value === undefined ? 'nothing' : String(value);
}
