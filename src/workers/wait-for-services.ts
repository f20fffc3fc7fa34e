import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Home } from '../adapters/layout.ts';
import { isListening } from '../adapters/temporal-server.ts';
import type { Device } from '../domain/device.ts';
import { durationText } from '../domain/duration.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { logTail } from './log.ts';
import { livingSupervisor, livingWorkers, problemFailure, roleOf, SERVER, SUPERVISOR } from './records.ts';
import type { ServerAddress, ServiceView, SupervisorRecord, WorkerOrder } from './records.ts';
import type { SupervisorKeeper } from './supervised.ts';

/** Waiting until what a command wants is ready, and saying well why it is not. */

/** What is waited for. */
export interface Wanted {
  readonly home: Home;
  readonly outside: ServerAddress | null;
  readonly devices: readonly Device[];
  readonly queuePrefix: string;
  readonly notify: (line: string) => void;
  readonly keeper: SupervisorKeeper;
}

const POLL_MS = 100;
/** A first start bundles the workflow code, on a slow and busy machine. */
const READY_MS = 180_000;
/** A process that ended this often in a row, without a reason of its own, will not come. */
const HOPELESS = 4;

/**
 * Returns the server's address when it accepts connections and every wanted worker is ready.
 *
 * @throws PlatformFailure with the reason and the last log lines of the process that fails
 */
export async function waitForServices(wanted: Wanted): Promise<ServerAddress> {
  const began = performance.now();
  let announced = false;
  while (performance.now() - began < READY_MS) {
    await wanted.keeper.look();
    if (wanted.keeper.faults() >= HOPELESS) throw await failureOf(wanted.home, SUPERVISOR);
    const supervisor = await livingSupervisor(wanted.home);
    if (supervisor?.state === 'running' && supervisor.server !== null) {
      checkSameServer(supervisor.server, wanted.outside);
      if (!announced && (await isReachable(supervisor.server))) {
        announced = true;
        wanted.notify(serverLine(supervisor.server));
      }
      if (announced && (await missingRoles(wanted, supervisor.server)).length === 0) {
        wanted.notify(readyLine(wanted, performance.now() - began));
        return supervisor.server;
      }
    }
    await checkHealth(wanted, supervisor);
    await sleep(POLL_MS);
  }
  const [missing = SERVER] = await missingRoles(wanted, null);
  throw await failureOf(wanted.home, missing);
}

function serverLine({ address, webUi, embedded }: ServerAddress): string {
  if (!embedded) return `server: ${address} (from the environment)`;
  return `server: ${address}${webUi === null ? '' : `, Web UI ${webUi}`}`;
}

function readyLine({ devices }: Wanted, tookMs: number): string {
  const names = devices.map(({ name }) => name);
  return `workers: ${['control', 'proposals', ...names].join(', ')} ready in ${durationText(tookMs)}`;
}

/** An outside server may need TLS to answer: its workers, once ready, say that it does. */
async function isReachable(server: ServerAddress): Promise<boolean> {
  return !server.embedded || isListening(server.address);
}

function wantedOrders({ devices, queuePrefix }: Wanted): Omit<WorkerOrder, 'server'>[] {
  const shared = (['control', 'proposals'] as const).map((kind) => ({ kind, queuePrefix, device: null }));
  return [...shared, ...devices.map((device) => ({ kind: 'device' as const, queuePrefix, device }))];
}

async function missingRoles(wanted: Wanted, server: ServerAddress | null): Promise<string[]> {
  const workers = await livingWorkers(wanted.home);
  const ready = workers.filter(
    ({ state, order }) => state === 'ready' && (server === null || isDeepStrictEqual(order.server, server)),
  );
  const roles = new Set(ready.map(({ role }) => role));
  return wantedOrders(wanted)
    .map(roleOf)
    .filter((role) => !roles.has(role));
}

function checkSameServer(running: ServerAddress, outside: ServerAddress | null): void {
  const isSame =
    outside === null
      ? running.embedded
      : !running.embedded && running.address === outside.address && running.namespace === outside.namespace;
  if (isSame) return;
  const now = running.embedded ? 'its own server' : `${running.address}, namespace ${running.namespace}`;
  const asked = outside === null ? 'its own server' : `${outside.address}, namespace ${outside.namespace}`;
  const fix = 'End the other command first, or use the same TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.';
  throw new PlatformFailure('HostFailed', `The services of this project run on ${now}; this command asks for ${asked}.`, fix);
}

/** Gives up as soon as something that is needed says why it cannot work, or keeps dying. */
async function checkHealth(wanted: Wanted, supervisor: SupervisorRecord | null): Promise<void> {
  const needed = new Set([SERVER, ...wantedOrders(wanted).map(roleOf)]);
  const failing = supervisor?.services.find((service) => needed.has(service.role) && isHopeless(service));
  if (failing === undefined) return;
  const tail = await logTail(wanted.home, failing.role);
  if (failing.problem !== null) throw problemFailure(failing.problem, tail);
  throw await failureOf(wanted.home, failing.role);
}

/** A reason of the closed catalogue that no restart changes ends the waiting at once. */
function isHopeless({ failures, problem }: ServiceView): boolean {
  if (failures >= HOPELESS) return true;
  return failures >= 2 && problem !== null && !new PlatformFailure(problem.type, '', '').retryable;
}

async function failureOf(home: Home, role: string): Promise<PlatformFailure> {
  const tail = await logTail(home, role);
  const message = `The ${role} of this project did not come up.`;
  return new PlatformFailure(
    'HostFailed',
    tail === '' ? message : `${message}\n${tail}`,
    'See what its log says; scientist doctor checks the rest.',
  );
}
