import type { OperatorService, WorkflowService } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../domain/messages.ts';

/** What a server must know before runs start on it. */

/** A connection of either kind. */
export interface ServerConnection {
  readonly workflowService: WorkflowService;
  readonly operatorService: OperatorService;
}

/** Closed runs are kept this long; a development server's own default is a day. */
const RETENTION_MS = 720 * 3_600_000;
/** Numbers of `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_TYPE = { Keyword: 2, Int: 3, Double: 4 } as const;
const GRPC_ALREADY_EXISTS = 6;

/** Sets the project's own server up: retention and search attributes. Safe to repeat. */
export async function prepareServer(connection: ServerConnection, namespace: string): Promise<void> {
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
  });
  const known = new Set(await registeredSearchAttributes(connection, namespace));
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !known.has(name));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, INDEXED_TYPE[type]]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (!hasGrpcCode(error, GRPC_ALREADY_EXISTS)) throw error;
  }
}

/**
 * Which of our search attributes the server knows with the right type, sorted. Setting an unknown one would
 * leave a run hanging for ever, so a server that does not answer this counts as knowing none.
 */
export async function registeredSearchAttributes(connection: ServerConnection, namespace: string): Promise<string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return Object.entries(SEARCH_ATTRIBUTES)
      .filter(([name, type]) => Number(customAttributes[name]) === INDEXED_TYPE[type])
      .map(([name]) => name)
      .sort();
  } catch {
    return [];
  }
}

function hasGrpcCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
