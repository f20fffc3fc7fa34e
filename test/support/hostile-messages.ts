import { isGrpcServiceError, type Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Messages as bytes: what a careless or hostile sender can put on the wire, past every client that checks. */

/** A payload as it travels. */
export interface Payload {
  readonly metadata: Record<string, Uint8Array>;
  readonly data: Uint8Array;
}

/** A payload of these bytes under an encoding. */
function payloadOf(encoding: string, data: string | Uint8Array): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: typeof data === 'string' ? Buffer.from(data) : data };
}

/** A JSON payload. */
export function jsonPayload(value: unknown): Payload {
  return payloadOf('json/plain', JSON.stringify(value));
}

const DEEP = 20_000;
/** Every key that a message has, each with a value that fits none. */
const WRONG_TYPES = Object.fromEntries(
  ['reason', 'mode', 'stage', 'workers', 'nodes', 'node', 'operator', 'parent', 'target', 'name', 'options', 'config', 'plan']
    .concat(['best', 'offset', 'limit'])
    .map((key) => [key, { no: ['such', -1] }]),
);

/** None of these is a valid payload of any message or workflow. */
export const HOSTILE_PAYLOADS: readonly { readonly name: string; readonly payload: Payload }[] = [
  { name: 'a number', payload: jsonPayload(7) },
  { name: 'a text', payload: jsonPayload('now') },
  { name: 'a list', payload: jsonPayload([{}]) },
  { name: 'an unknown key', payload: jsonPayload({ resaon: 'x', toString: 1, constructor: { prototype: 1 } }) },
  { name: 'a key that is no key', payload: payloadOf('json/plain', '{"__proto__": {"workers": 2}, "x": 1}') },
  { name: 'wrong types', payload: jsonPayload(WRONG_TYPES) },
  { name: 'a huge key', payload: jsonPayload({ ['k'.repeat(50_000)]: 1 }) },
  { name: 'a huge text', payload: jsonPayload({ reason: 'x'.repeat(9999), name: 'x'.repeat(9999), node: 'n'.repeat(9999) }) },
  { name: 'deep lists', payload: payloadOf('json/plain', '['.repeat(DEEP) + ']'.repeat(DEEP)) },
  {
    name: 'deep lists where JSON is allowed',
    payload: payloadOf('json/plain', `{"name": "in_order", "options": {"a": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}}}`),
  },
  { name: 'half a JSON', payload: payloadOf('json/plain', '{"reason": "x') },
  { name: 'bytes that are no text', payload: payloadOf('json/plain', Uint8Array.from([0xff, 0xfe, 0x00])) },
  { name: 'bytes', payload: payloadOf('binary/plain', Uint8Array.from([1, 2, 3])) },
  { name: 'an unknown encoding', payload: payloadOf('binary/encrypted', 'secret') },
  { name: 'no encoding', payload: { metadata: {}, data: Buffer.from('{}') } },
];

/** Sends payloads as they are. */
export interface Messenger {
  /** The names that a workflow has handlers for, by its own account. */
  messagesOf(workflowId: string): Promise<{ signals: string[]; updates: string[]; queries: string[] }>;
  signal(workflowId: string, name: string, payload: Payload): Promise<void>;
  /** `refused` is the message of the refusal, `null` for an update that was accepted. */
  update(workflowId: string, name: string, payload: Payload): Promise<{ refused: string | null }>;
  /** Resolves when the query was answered, be it with an error; `null` sends no payload. */
  query(workflowId: string, name: string, payload: Payload | null): Promise<void>;
  start(what: { type: string; id: string; taskQueue: string; payload: Payload }): Promise<void>;
}

/** Lifecycle stage `COMPLETED` of an update. */
const COMPLETED = 3;
/** Answers of the server to a query that the workflow refused, and to one that it does not know. */
const ANSWERED: readonly number[] = [3];

/** A messenger over a client's connection. */
export function messengerOf(client: Client): Messenger {
  const { workflowService } = client;
  const namespace = 'default';
  return {
    messagesOf: async (workflowId) => {
      const { definition } = await client.workflow.getHandle(workflowId).query<Metadata>('__temporal_workflow_metadata');
      const namesOf = (list: readonly { name?: string | null }[] | null | undefined): string[] =>
        (list ?? []).flatMap(({ name }) => (name === undefined || name === null || name.startsWith('__') ? [] : [name]));
      return {
        signals: namesOf(definition?.signalDefinitions),
        updates: namesOf(definition?.updateDefinitions),
        queries: namesOf(definition?.queryDefinitions),
      };
    },
    signal: async (workflowId, signalName, payload) => {
      await workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId },
        signalName,
        input: { payloads: [payload] },
      });
    },
    update: async (workflowId, name, payload) => {
      for (;;) {
        const { outcome } = await workflowService.updateWorkflowExecution({
          namespace,
          workflowExecution: { workflowId },
          request: { meta: { updateId: randomUUID() }, input: { name, args: { payloads: [payload] } } },
          // The package that names the stages is no dependency of ours.
          // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
          waitPolicy: { lifecycleStage: COMPLETED },
        });
        if (outcome) return { refused: outcome.failure?.message ?? null };
        await sleep(50);
      }
    },
    query: async (workflowId, queryType, payload) => {
      const queryArgs = payload === null ? null : { payloads: [payload] };
      await workflowService
        .queryWorkflow({ namespace, execution: { workflowId }, query: { queryType, queryArgs } })
        .catch((error: unknown) => {
          if (!isGrpcServiceError(error) || !ANSWERED.includes(error.code)) throw error;
        });
    },
    start: async ({ type, id, taskQueue, payload }) => {
      await workflowService.startWorkflowExecution({
        namespace,
        workflowId: id,
        workflowType: { name: type },
        taskQueue: { name: taskQueue },
        input: { payloads: [payload] },
        requestId: randomUUID(),
      });
    },
  };
}

interface Metadata {
  readonly definition?: Record<
    'signalDefinitions' | 'updateDefinitions' | 'queryDefinitions',
    readonly { name?: string | null }[] | null | undefined
  > | null;
}
