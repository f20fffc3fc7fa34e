import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../adapters/layout.ts';
import { claimPorts } from '../adapters/port-claims.ts';
import { isAlive } from '../adapters/process-identity.ts';
import { temporalPath } from '../adapters/project.ts';
import {
  addressOf,
  areFree,
  claimDatabase,
  portsOf,
  serverVersion,
  startServer,
  webUiOf,
  type ServerPorts,
} from '../adapters/temporal-server.ts';
import { openLogFile } from './log.ts';
import { isHomeAlive, readServerRecord, SERVER, type ServerAddress } from './records.ts';
import { withoutKeys } from './scrub.ts';
import type { ServiceSpec } from './service.ts';

/** The project's own server as a service of the supervisor. */

/** A server that ended may hold its port for a moment; moving away would cost every client its connection. */
const SAME_PORT_MS = 5000;
/** Ending writes the database out; measured at well under a second. */
const STOP_MS = 10_000;

/** The service, and the address under which it was last started or found. */
export interface EmbeddedServer {
  readonly spec: ServiceSpec;
  /** `null` before the first start. */
  address(): ServerAddress | null;
}

/** The server of a home; it keeps its ports over restarts as long as they are free. */
export function embeddedServer(home: Home): EmbeddedServer {
  let ports: ServerPorts | null = null;
  return {
    address: () =>
      ports === null ? null : { address: addressOf(ports), namespace: 'default', webUi: webUiOf(ports), embedded: true },
    spec: {
      role: SERVER,
      stopMs: STOP_MS,
      problem: () => Promise.resolve(null),
      async find() {
        const record = await readServerRecord(home);
        if (record === null) return null;
        ports ??= portsOf(record);
        if (!isAlive(record.identity)) return null;
        ports = portsOf(record);
        return record.identity;
      },
      async start() {
        const version = await serverVersion(temporalPath());
        await claimDatabase(home, version);
        ports = await portsToUse(home, ports);
        const log = openLogFile(home, SERVER);
        try {
          return startServer(home, { ports, version, env: withoutKeys(process.env, { keepTemporal: false }), log });
        } finally {
          closeSync(log);
        }
      },
    },
  };
}

async function portsToUse(home: Home, last: ServerPorts | null): Promise<ServerPorts> {
  const end = performance.now() + SAME_PORT_MS;
  while (last !== null && !(await areFree(last)) && performance.now() < end) await sleep(100);
  return claimPorts(home, last, isHomeAlive);
}
