import { EXIT } from './exit-codes.ts';

/** A wish to end the command, by Ctrl-C, `kill` or a closed terminal. */
export interface Interruption {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  dispose(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * One Ctrl-C can arrive several times: the terminal sends it to the whole group, and npm and the starting
 * script pass it on as well. Signals this close together are one wish.
 */
const SAME_WISH_MS = 500;

/** Listens for the signals that end a command: the first is orderly, the second ends the process at once. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      controller.abort();
    } else if (performance.now() - firstAt > SAME_WISH_MS) {
      process.exit(EXIT.interrupted);
    }
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/** Waits `ms` milliseconds, or until the signal is aborted; never throws. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
