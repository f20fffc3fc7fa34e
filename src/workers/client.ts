import { Client } from '@temporalio/client';
import { messageOf, PlatformFailure } from '../domain/failure.ts';
import { connectToServer } from './connect.ts';
import type { ServerAddress } from './records.ts';

/**
 * A client of the project's server, for commands and tests; close its `connection` at the end.
 *
 * @throws PlatformFailure `HostFailed` when the server does not answer within `timeoutMs`, 10 s where it is left out
 */
export async function connectClient(server: ServerAddress, timeoutMs?: number): Promise<Client> {
  try {
    return new Client({ connection: await connectToServer(server, timeoutMs), namespace: server.namespace });
  } catch (error) {
    const why = messageOf(error);
    const fix = server.embedded
      ? 'Start the services with: npm run scientist -- up'
      : 'Check TEMPORAL_ADDRESS and the other TEMPORAL_ variables, and that the server runs.';
    throw new PlatformFailure('HostFailed', `The Temporal server at ${server.address} does not answer: ${why}`, fix, {
      cause: error,
    });
  }
}
