import { ApplicationFailure, defineSignal, log, setHandler } from '@temporalio/workflow';
import { z } from 'zod';

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
    const parsed = schema.safeParse(raw ?? undefined);
    if (parsed.success) {
      act(parsed.data);
      return;
    }
    refused?.();
    log.warn(`signal ${name} was not understood`, { problem: z.prettifyError(parsed.error) });
  };
  setHandler(defineSignal<[unknown]>(name), receive, { description });
}

/** Parses the payload of an update; for validators, which refuse by throwing. */
export function parseOrRefuse<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw refusal(z.prettifyError(parsed.error));
  return parsed.data;
}

/** The refusal of an update, with the reason for people. */
export function refusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'ConfigInvalid');
}
