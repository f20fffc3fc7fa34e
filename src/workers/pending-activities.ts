/** `PendingActivityState` of the server's interface, where it is read from what describes a workflow. */
export const PENDING = { scheduled: 1, started: 2, cancelRequested: 3 } as const;

/** What a worker's process is called on the server: the name that it shares with those before it, and its pid. */
export function workerIdentity(name: string): string {
  return `${name} (${process.pid})`;
}

/** The pid in the identity of a process of this name; `null` for any other identity. */
export function pidOfWorker(identity: string, name: string): number | null {
  const [, pid] = identity.startsWith(`${name} `) ? (/ \((\d+)\)$/.exec(identity) ?? []) : [];
  return pid === undefined ? null : Number(pid);
}
