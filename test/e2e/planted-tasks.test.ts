import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { GoodNode } from '../../src/domain/node.ts';
import { numberText } from '../../src/report/words.ts';
import { newHome, removeHome, runCommand, type RunningCommand, startUp } from '../support/cli.ts';
import { plantedTask } from '../support/planted.ts';
import { runPlanted } from '../support/planted-stage.ts';

/** Whole runs of planted tasks with the real command: tensor_parallel in the stage that tunes, four workers. */

const WORKERS = 4;
const TENSOR = { stages: { baseline_tuning: { name: 'tensor_parallel', options: { route: 'target' } } } };

/** The parts of the config that a simulation of the tuning stage needs too. */
function searchConfig(nodes: number, schedule: 'barrier' | 'async') {
  const stages = { stage1_max_iters: 1, stage2_max_iters: nodes, stage3_max_iters: 0, stage4_max_iters: 0 };
  const agent = { num_workers: WORKERS, search: { num_drafts: 1 }, stages, multi_seed_eval: { num_seeds: 0 } };
  return { seed: 3, schedule, agent, strategy: TENSOR };
}

const home = newHome();
let up: RunningCommand | null = null;

beforeAll(async () => {
  up = await startUp(home, `cpu:${WORKERS}`);
}, 240_000);

afterAll(async () => {
  up?.signal('SIGTERM');
  await up?.ended;
  await removeHome(home);
});

/** A run of a task to its end: what its tuning stage wrote down, and its report. */
async function runOf(runId: string, config: object): Promise<{ events: JournalEvent[]; report: string }> {
  writeFileSync(join(home, `${runId}.yaml`), stringify({ devices: `cpu:${WORKERS}`, report: { html: false }, ...config }));
  const run = await runCommand(home, 'run', `${runId}.yaml`, '--run-id', runId);
  expect(run.code, run.out + run.err).toBe(0);
  const events = await readEvents({ root: home }, runId);
  const report = readFileSync(runPaths({ root: home }, runId).reportMarkdown, 'utf8');
  return { events: events.filter(({ stage }) => stage === 'baseline_tuning'), report };
}

function goodNodes(events: readonly JournalEvent[]): GoodNode[] {
  return events.flatMap((event) =>
    (event.kind === 'node' || event.kind === 'base') && event.node.status === 'good' ? [event.node] : [],
  );
}

/** The good merges, each with the nodes that it unites. */
function merges(events: readonly JournalEvent[]): { merge: GoodNode; parts: GoodNode[] }[] {
  const nodes = goodNodes(events);
  const partsOf = ({ item }: GoodNode): GoodNode[] => {
    const ids = item.replace(/^merge:n\d+:|#\d+$/g, '').split('+');
    return nodes.filter(({ id }) => ids.includes(id));
  };
  return nodes.filter(({ operator }) => operator === 'merge').map((merge) => ({ merge, parts: partsOf(merge) }));
}

/** Eight keys over four workers. */
const SECTIONS = ['ae', 'bf', 'cg', 'dh'];
const isInOneSection = ({ changed }: GoodNode): boolean => SECTIONS.some((keys) => changed.every((key) => keys.includes(key)));

describe.each(['barrier', 'async'] as const)('separable, %s', (schedule) => {
  const nodes = 14;
  let events: JournalEvent[] = [];
  let report = '';
  beforeAll(async () => {
    ({ events, report } = await runOf(`separable-${schedule}`, { task: 'separable', ...searchConfig(nodes, schedule) }));
  }, 300_000);

  test('a good merge has what its parts changed and is better than each of them', () => {
    const found = merges(events);
    expect(found.length).toBeGreaterThan(0);
    for (const { merge, parts } of found) {
      expect(parts.length).toBeGreaterThanOrEqual(2);
      expect(merge.changed).toEqual(parts.flatMap(({ changed }) => changed).sort());
      expect(merge.metric).toBeGreaterThan(Math.max(...parts.map(({ metric }) => metric)));
    }
  });

  test('what was tuned lies within one section', () => {
    const tuned = goodNodes(events).filter(({ operator }) => operator === 'tune');
    expect(tuned.length).toBeGreaterThan(WORKERS);
    expect(tuned.filter((node) => !isInOneSection(node))).toEqual([]);
  });

  test('the report shows the merges with their values', () => {
    for (const { merge } of merges(events)) {
      expect(report).toMatch(new RegExp(`${merge.id} merge ${merge.label} .*\\*\\*${numberText(merge.metric)}\\*\\*`));
    }
  });
});

test('at a barrier the run made what the simulation of its tuning stage makes, node by node', async () => {
  const simulated = await runPlanted({
    planted: await plantedTask('separable'),
    stage: 'baseline_tuning',
    config: searchConfig(14, 'barrier'),
  });
  const events = await readEvents({ root: home }, 'separable-barrier');
  const said = ({ id, item, changed, metric }: Pick<GoodNode, 'id' | 'item' | 'changed' | 'metric'>): string =>
    `${id} ${item} ${changed.join(',')} ${metric}`;
  const real = events.flatMap((event) => (event.kind === 'node' && event.stage === 'baseline_tuning' ? [event.node] : []));
  const [made, expected] = [real, simulated.made.map(({ node }) => node)].map((list) =>
    list.map((node) => (node.status === 'good' ? said(node) : node.id)),
  );
  expect(made).toEqual(expected);
});

test('coupled: the merge loses, and nothing is made from it', async () => {
  const { events, report } = await runOf('coupled', { task: 'coupled', ...searchConfig(14, 'barrier') });
  const found = merges(events);
  expect(found.length).toBeGreaterThan(0);
  const finished = events.find((event) => event.kind === 'stage_finished');
  for (const { merge, parts } of found) {
    expect(merge.metric).toBeLessThan(Math.min(...parts.map(({ metric }) => metric)));
    expect(goodNodes(events).filter(({ parent }) => parent === merge.id)).toEqual([]);
    expect(finished?.best).not.toBe(merge.id);
    expect(report).toContain(merge.label);
  }
}, 300_000);

test('a proposer that writes outside of its section makes no node, and each time is counted', async () => {
  const entry = { match: { stage: 'baseline_tuning', target: 'a' }, edit: { a: 3, h: 2 }, label: 'astray' };
  writeFileSync(join(home, 'script.yaml'), stringify({ default: 'search_space', entries: [entry] }));
  const proposer = { kind: 'scripted', script: 'script.yaml' };
  const { events, report } = await runOf('astray', { task: 'separable', proposer, ...searchConfig(8, 'barrier') });
  const strayed = events.filter((event) => event.kind === 'dropped' && event.reason === 'section_violation');
  expect(strayed.length).toBeGreaterThan(0);
  for (const event of strayed) {
    expect(event).toMatchObject({
      item: expect.stringMatching(/^tune:n\d+:a#0$/),
      message: expect.stringMatching(/section.*h$/),
    });
  }
  expect(goodNodes(events).filter(({ label }) => label === 'astray')).toEqual([]);
  expect(goodNodes(events).filter(({ operator }) => operator === 'tune').length).toBeGreaterThan(0);
  expect(report).toMatch(new RegExp(`the edit touched keys outside its section *\\| *${strayed.length} *\\|`));
}, 300_000);
