import { ApplicationFailure, defineSignal, defineUpdate, log, setHandler } from '@temporalio/workflow';
import type { z } from 'zod';
import { readPayload } from './failures.ts';

/** What handlers of messages share. A message is parsed first; what does not fit never reaches the state. */

/** A signal and what it is for, as the Web UI shows it. */
export interface SignalDescription {
  readonly name: string;
  readonly description: string;
  /** Told of each one that does not fit. */
  readonly refused?: () => void;
}

/** Handles a signal, totally: one that does not fit is logged and never throws, since a throw would hang the workflow. */
export function onSignal<T>(
  { name, description, refused }: SignalDescription,
  schema: z.ZodType<T>,
  act: (payload: T) => void,
): void {
  const receive = (raw: unknown): void => {
    const parsed = readPayload(schema, raw ?? undefined);
    if (parsed.success) {
      act(parsed.data);
      return;
    }
    refused?.();
    log.warn(`signal ${name} was not understood`, { problem: parsed.problem });
  };
  setHandler(defineSignal<[unknown]>(name), receive, { description });
}

/** An update and what it is for, as the Web UI shows it. */
export interface UpdateDescription<T> {
  readonly name: string;
  readonly description: string;
  /** Why it cannot be done, in words for people; `null` when it can. Synchronous, as a validator has to be. */
  readonly whyNot?: (payload: T) => string | null;
}

/** Handles an update: one that does not fit or cannot be done is refused with the reason, before it is in the history. */
export function onUpdate<T, R>(
  { name, description, whyNot }: UpdateDescription<T>,
  schema: z.ZodType<T>,
  act: (payload: T) => R | Promise<R>,
): void {
  setHandler(defineUpdate<R, [unknown]>(name), (raw) => act(schema.parse(raw)), {
    validator: (raw) => {
      const parsed = readPayload(schema, raw);
      if (!parsed.success) throw refusal(parsed.problem);
      const why = whyNot?.(parsed.data) ?? null;
      if (why !== null) throw refusal(why);
    },
    description,
  });
}

function refusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'ConfigInvalid');
}
