import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/workflow';
import { messageOf } from '../domain/failure.ts';

/**
 * How workflows read what they are sent: as the SDK does, but never throwing. The SDK decodes a start input, a
 * signal or an update before any code of ours sees it, and an error there fails the workflow task again and
 * again: one signal whose bytes are no JSON would hang its run for ever. Here such a payload becomes a value
 * that no schema accepts, and is refused or counted like any other nonsense.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: <T>(...[payload, context, hint]: Parameters<typeof defaultPayloadConverter.fromPayload<T>>): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload, context, hint);
    } catch (error) {
      // What a caller believes the type to be is checked by its schema, as for every payload.
      return { unreadable: messageOf(error) } as T;
    }
  },
};
