import { EXIT, type ExitCode } from './exit-codes.ts';
import { findLocalDevices } from './local-devices.ts';
import { listenForInterruption } from './interruption.ts';
import type { Io } from './io.ts';
import { queuePrefixOf, startServices, type Services } from './services.ts';

/** Hosts server, control workers and these devices until the command is interrupted, which is its orderly end. */
export async function hostDevices(io: Io, spec: string): Promise<ExitCode> {
  const queuePrefix = queuePrefixOf(io.env);
  const { devices, warnings } = await findLocalDevices(spec, queuePrefix, io.env);
  warnings.forEach((warning) => {
    io.err(`warning: ${warning}`);
  });
  const interruption = listenForInterruption();
  const services = await startServices(io, { devices, queuePrefix, signal: interruption.signal });
  try {
    hostLines(services).forEach((line) => {
      io.out(line);
    });
    await aborted(interruption.signal);
    io.err('stopping; runs are durable and go on when they are hosted again');
    return EXIT.done;
  } finally {
    await services.close();
    interruption.dispose();
  }
}

function hostLines({ server, devices }: Services): string[] {
  return [
    `Temporal server  ${server.address}, namespace ${server.namespace}`,
    ...(server.webUi === null ? [] : [`Web UI           ${server.webUi}`]),
    `devices          ${devices.map(({ name }) => name).join(', ')}`,
    ...(isFoundByDefault(server.address) ? [] : [`temporal CLI     temporal --address ${server.address} ...`]),
    'Ctrl-C stops what this command started',
  ];
}

/** Whether the `temporal` command finds the server without being told where it is. */
function isFoundByDefault(address: string): boolean {
  return address === '127.0.0.1:7233' || address === 'localhost:7233';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
    // A listener alone does not keep Node alive.
    const alive = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
    });
  });
}
