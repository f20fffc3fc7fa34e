import { Connection } from '@temporalio/client';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import type { ServerAddress } from './records.ts';

/**
 * How the project's own server, or an outside one, is connected to. Kept apart from the workers' native
 * connection (worker-process.ts), which costs a command half a second to load.
 */

/**
 * The outside server that the standard environment configuration names (`TEMPORAL_ADDRESS`,
 * `TEMPORAL_PROFILE`, a configuration file); `null` = the project's own server is used.
 */
export function outsideServer(): ServerAddress | null {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  if (connectionOptions.address === undefined) return null;
  return { address: connectionOptions.address, namespace: namespace ?? 'default', webUi: null, embedded: false };
}

/** What a connection is made with: certificates and API key of the environment are for an outside server only. */
export function connectionOptions(server: ServerAddress): ClientConnectConfig['connectionOptions'] {
  if (server.embedded) return { address: server.address };
  return { ...loadClientConnectConfig().connectionOptions, address: server.address };
}

/** A client's connection; fails when the server does not answer within `timeoutMs`. */
export async function connectToServer(server: ServerAddress, timeoutMs = 10_000): Promise<Connection> {
  return Connection.connect({ ...connectionOptions(server), connectTimeout: timeoutMs });
}
