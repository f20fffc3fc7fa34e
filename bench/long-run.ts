import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runPaths, type Home } from '../src/adapters/layout.ts';
import { PACKAGE_ROOT } from '../src/adapters/project.ts';
import { readEvent, readEvents } from '../src/adapters/run-store.ts';
import { stageWorkflowId } from '../src/domain/ids.ts';
import { connectClient } from '../src/workers/client.ts';
import { livingSupervisor } from '../src/workers/records.ts';
import { historySizes } from './support/history-sizes.ts';
import { costsOf, type Costs } from './support/process-costs.ts';
import { runProduct, untilQuiet } from './support/product.ts';

/**
 * `npm run bench -- long-run [NODES]`: one real run on `probe` with so many nodes, nearly all of them in one stage,
 * on two CPU slots. Prints what each tenth of it cost, so that a cost that grows with the journal shows, and how
 * large histories and payloads became. CPU seconds are the kernel's, so other load on the machine does not count.
 */

const RUN = 'long';
const DRAFTS = 3;
const BIN = join(PACKAGE_ROOT, 'bin', 'scientist.mjs');
const STAGE = 'creative_research';

interface Sample {
  readonly nodes: number;
  readonly seconds: number;
  readonly costs: Costs;
}

function config(nodes: number): string {
  return [
    'task: probe',
    'devices: cpu:2',
    'agent:',
    '  num_workers: 2',
    `  stages: {stage1_max_iters: ${DRAFTS}, stage2_max_iters: 0, stage3_max_iters: ${nodes - DRAFTS}, stage4_max_iters: 0}`,
    `  search: {num_drafts: ${DRAFTS}}`,
    '  multi_seed_eval: {num_seeds: 0}',
    'search: {all_datasets_from: 5}',
    'deterministic: true',
    'report: {html: false}',
    '',
  ].join('\n');
}

/** Follows the journal and takes a sample at each tenth of the nodes. */
async function follow(home: Home, nodes: number, isOver: () => boolean): Promise<Sample[]> {
  const samples: Sample[] = [];
  let [seq, made, due] = [0, 0, DRAFTS];
  while (due <= nodes && !isOver()) {
    const event = await readEvent(home, RUN, seq);
    if (event === null) {
      await sleep(100);
      continue;
    }
    seq++;
    if (event.kind === 'node') made++;
    if (made < due || event.kind !== 'node') continue;
    samples.push({ nodes: made, seconds: performance.now() / 1000, costs: await costsOf(home) });
    const [before, now] = samples.slice(-2);
    if (before !== undefined && now !== undefined) console.log(line(before, now));
    due = made === nodes ? nodes + 1 : Math.min(nodes, due + Math.ceil(nodes / 10));
  }
  return samples;
}

const ROLES = ['control', 'proposals', 'server', 'devices'] as const;

/** Seconds between two samples per thousand nodes. */
function rates(before: Sample, now: Sample): Record<(typeof ROLES)[number] | 'wall', number> {
  const per = (seconds: number): number => (seconds / (now.nodes - before.nodes)) * 1000;
  const cpu = (role: string): number => per((now.costs.cpu[role] ?? 0) - (before.costs.cpu[role] ?? 0));
  return {
    wall: per(now.seconds - before.seconds),
    control: cpu('control'),
    proposals: cpu('proposals'),
    server: cpu('server'),
    devices: cpu('devices'),
  };
}

function line(before: Sample, now: Sample): string {
  const rate = rates(before, now);
  const cells = [rate.wall, ...ROLES.map((role) => rate[role])].map((seconds) => seconds.toFixed(1).padStart(10));
  const peaks = ROLES.map((role) => (now.costs.peak[role] ?? 0).toFixed(0)).join(' / ');
  return `${String(now.nodes).padStart(7)} ${cells.join('')}   ${peaks}   load ${loadavg()[0]?.toFixed(1) ?? ''}`;
}

/** What the last tenth cost, as a multiple of what the first did. */
function ratios(samples: readonly Sample[]): string {
  const [start, first] = samples;
  const [before, last] = samples.slice(-2);
  if (start === undefined || first === undefined || before === undefined || last === undefined || samples.length < 3)
    return 'too few nodes for a ratio';
  const [early, late] = [rates(start, first), rates(before, last)];
  const cpu = (late.control + late.proposals) / (early.control + early.proposals);
  return `last tenth to first: CPU of control and proposals ${cpu.toFixed(2)}, wall time ${(late.wall / early.wall).toFixed(2)}`;
}

async function printSizes(home: Home): Promise<void> {
  const server = (await livingSupervisor(home))?.server;
  if (server === null || server === undefined) throw new Error('the server is gone');
  const client = await connectClient(server);
  try {
    console.log('\nexecution                            events   history KiB   started with KiB   largest other payload KiB');
    for (const workflowId of [RUN, stageWorkflowId(RUN, STAGE)]) {
      for (const size of await historySizes(client, workflowId)) {
        const cells = [size.events, size.kib, size.startBytes / 1024, size.largestBytes / 1024];
        console.log(
          `${workflowId.padEnd(36)} ${cells.map((cell, at) => cell.toFixed(at === 0 ? 0 : 1).padStart(8)).join('      ')}`,
        );
      }
    }
  } finally {
    await client.connection.close();
  }
}

/** The project's services, for as long as they are needed; a run's own would end with it. */
function startServices(home: Home): ChildProcess {
  const env = { ...process.env, SCIENTIST_HOME: home.root };
  return spawn(process.execPath, [BIN, 'up', '--devices', 'cpu:2'], { cwd: PACKAGE_ROOT, env, stdio: 'ignore' });
}

function newHome(nodes: number): Home {
  const root = mkdtempSync(join(tmpdir(), 'scientist-long-'));
  mkdirSync(join(root, '.scientist'));
  cpSync(join(PACKAGE_ROOT, 'experiments'), join(root, 'experiments'), { recursive: true });
  writeFileSync(join(root, 'config.yaml'), config(nodes));
  return { root };
}

const nodes = Number(process.argv[2] ?? 10_000);
const home = newHome(nodes);
console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1) ?? ''}; ${nodes} nodes in ${home.root}`);
console.log('  nodes       wall   control proposals    server   devices   peak MiB in the same order');
console.log('        seconds per thousand nodes: elapsed, then CPU of each kind of process');
const services = startServices(home);
let isOver = false;
try {
  while (((await livingSupervisor(home))?.server ?? null) === null) {
    if (services.exitCode !== null) throw new Error(`the services ended with ${services.exitCode}; see: npm run scientist -- up`);
    await sleep(200);
  }
  const run = runProduct({
    command: process.execPath,
    args: [BIN, 'run', join(home.root, 'config.yaml'), '--run-id', RUN],
    cwd: home.root,
    env: { SCIENTIST_HOME: home.root },
  }).finally(() => {
    isOver = true;
  });
  const [samples] = await Promise.all([follow(home, nodes, () => isOver), run]);
  await printSizes(home);
  const events = await readEvents(home, RUN);
  const made = events.filter(({ kind }) => kind === 'node').length;
  const dropped = events.filter(({ kind }) => kind === 'dropped').length;
  console.log(
    `\n${made} nodes, ${dropped} items dropped, report ${existsSync(runPaths(home, RUN).reportMarkdown) ? 'written' : 'missing'}`,
  );
  console.log(ratios(samples));
} finally {
  if (services.exitCode === null) {
    services.kill('SIGINT');
    await once(services, 'close');
  }
  await untilQuiet(home);
  rmSync(home.root, { recursive: true, force: true });
}
