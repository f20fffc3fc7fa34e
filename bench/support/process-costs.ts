import { readFile } from 'node:fs/promises';
import type { Home } from '../../src/adapters/layout.ts';
import { livingServer, livingWorkers } from '../../src/workers/records.ts';

/** What the processes of a project cost, as the kernel counts it: other load on the machine does not count. */
export interface Costs {
  /** CPU seconds by role, those of ended children included: `control`, `proposals`, `server`, `devices`. */
  readonly cpu: Readonly<Record<string, number>>;
  /** Largest resident memory so far by role, MiB. */
  readonly peak: Readonly<Record<string, number>>;
}

/** Clock ticks of /proc per second; fixed on Linux. */
const TICKS = 100;

/** The costs so far of the processes that run now. Linux only. */
export async function costsOf(home: Home): Promise<Costs> {
  const cpu: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const { role, pid } of await processesOf(home)) {
    cpu[role] = (cpu[role] ?? 0) + (await cpuOf(pid));
    peak[role] = Math.max(peak[role] ?? 0, await peakOf(pid));
  }
  return { cpu, peak };
}

async function processesOf(home: Home): Promise<{ role: string; pid: number }[]> {
  const [workers, server] = await Promise.all([livingWorkers(home), livingServer(home)]);
  const found = workers.map(({ order, identity }) => ({
    role: order.kind === 'device' ? 'devices' : order.kind,
    pid: identity.pid,
  }));
  return server === null ? found : [...found, { role: 'server', pid: server.identity.pid }];
}

async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in parentheses and may hold spaces: fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
  return ticks / TICKS;
}

async function peakOf(pid: number): Promise<number> {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1024;
}
