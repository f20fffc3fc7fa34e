import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StatusOutput } from '../../src/cli/json-output.ts';
import { readServerRecord } from '../../src/workers/records.ts';
import { findBrowser, launchBrowser, NO_BROWSER } from '../support/browser.ts';
import { newSlowHome, removeHome, runCommand, startCommand, startUp, type RunningCommand } from '../support/cli.ts';

/** A run as a person sees it in the Web UI of the real server, in a real browser; found by role and text. */

const RUN = 'seen';
const STAGE = `${RUN}/initial_implementation`;
/** So many drafts that the first stage is still going on when the run is paused. */
const CONFIG = `
task: probe
devices: cpu:2
agent:
  num_workers: 2
  stages: { stage1_max_iters: 12, stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0 }
  search: { num_drafts: 12 }
  multi_seed_eval: { num_seeds: 0 }
`;

/** A page loads in a second on a quiet machine. */
const PATIENCE = { timeout: 60_000, interval: 500 };

const executable = await findBrowser();
const home = executable === null ? '' : newSlowHome(800);
let browser: Browser | undefined;
let run: RunningCommand | undefined;
let workflows: string;

beforeEach(({ skip }) => {
  skip(executable === null, NO_BROWSER);
});

beforeAll(async () => {
  if (executable === null) return;
  writeFileSync(join(home, 'config.yaml'), CONFIG);
  // Keeps the server there when the run has ended.
  await startUp(home, 'cpu:2');
  run = startCommand(home, 'run', 'config.yaml', '--run-id', RUN);
  await run.saying(/ n1 +draft/);
  expect((await runCommand(home, 'pause', RUN)).code).toBe(0);
  while ((await inFlight()) !== 0) await sleep(200);
  const record = await readServerRecord({ root: home });
  workflows = `http://127.0.0.1:${record?.uiPort ?? 0}/namespaces/default/workflows`;
  browser = await launchBrowser(executable);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  if (home === '') return;
  await removeHome(home);
});

/** What is being worked on, by the run's own word; `null` before it is paused. */
async function inFlight(): Promise<number | null> {
  const { live } = StatusOutput.parse(JSON.parse((await runCommand(home, 'status', RUN, '--json')).out));
  return live?.run.state === 'paused' ? (live.stage?.running.length ?? null) : null;
}

/** Opens a page of the Web UI; it gets nothing from anywhere but the server. */
async function open(url: string): Promise<Page> {
  if (browser === undefined) throw new Error(NO_BROWSER);
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  page.setDefaultTimeout(PATIENCE.timeout);
  onTestFinished(() => page.close());
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await page.goto(url);
  return page;
}

/** The row of a workflow in a list of them. */
const rowOf = (page: Page, id: string): Locator =>
  page
    .getByRole('table', { name: 'Workflows' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: id, exact: true }) });

/** Opens a workflow by its link in the list, then a tab of its page. */
async function openWorkflow(id: string, tab: string): Promise<Page> {
  const page = await open(workflows);
  await rowOf(page, id).getByRole('link', { name: id, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: id }).waitFor();
  await page.getByRole('tab', { name: tab }).click();
  return page;
}

const search = (query: string): string => `${workflows}?query=${encodeURIComponent(query)}`;

describe('a run that is paused, in the Web UI', { timeout: 2 * PATIENCE.timeout }, () => {
  test('is listed with its stage, their types and their state', async () => {
    const page = await open(workflows);
    for (const [id, type] of [
      [RUN, 'research'],
      [STAGE, 'initialImplementation'],
    ] as const) {
      await rowOf(page, id).getByRole('cell', { name: 'Running', exact: true }).waitFor();
      await rowOf(page, id).getByRole('cell', { name: type, exact: true }).waitFor();
    }
  });

  test('is found by its search attributes, and not by those of others', async () => {
    const found = await open(search('ResearchTask="probe" AND ResearchStatus="paused"'));
    await rowOf(found, RUN).waitFor();
    const others = await open(search('ResearchTask="digits"'));
    await others.getByRole('heading', { name: 'No Workflows Found' }).waitFor();
    expect(await rowOf(others, RUN).count()).toBe(0);
  });

  test('shows on its page what it did and what it is about', async () => {
    const page = await openWorkflow(RUN, 'Timeline');
    await page.getByText('read and check the config').waitFor();
    await page.getByText(`initial_implementation of ${RUN}`).waitFor();
    await page.getByRole('tab', { name: 'Search Attributes' }).click();
    const attributes = page.getByRole('textbox', { name: 'Search Attributes' });
    await expect.poll(() => attributes.innerText(), PATIENCE).toMatch(/"ResearchTask": "probe"/);
    expect(await attributes.innerText()).toMatch(/"ResearchStatus": "paused"/);
  });

  test('shows in the history of its stage what each activity was for', async () => {
    const page = await openWorkflow(STAGE, 'Event History');
    await page.getByRole('button', { name: 'Descending' }).click();
    for (const summary of ['draft n1, propose', /^draft n1, a seed 0, cpu\d$/, 'record stage_started 0'])
      await page.getByRole('table').getByText(summary).first().waitFor();
  });

  test('shows the state of its stage as current details', async () => {
    const page = await openWorkflow(STAGE, 'User Metadata');
    await page.getByRole('heading', { name: 'Current Details' }).waitFor();
    // Summary first, current details last; each is Markdown in a frame of its own.
    const details = page.locator('iframe').last().contentFrame();
    await details.getByText(/^initial_implementation: paused, \d+ of at most 12 nodes/).waitFor();
    await details.getByText(/^Best: n\d+ \(draft, \w+\): score \d/).waitFor();
    await page.locator('iframe').first().contentFrame().getByText(STAGE.split('/').reverse().join(' of ')).waitFor();
  });

  test('answers a query there', async () => {
    const page = await openWorkflow(STAGE, 'Queries');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Query Result' }).innerText(), PATIENCE)
      .toMatch(/"status": "good"/);
  });
});

describe('a run that was stopped, in the Web UI', { timeout: 2 * PATIENCE.timeout }, () => {
  test('is listed as completed, and its attributes say that it was stopped', async () => {
    expect((await runCommand(home, 'stop', RUN)).code).toBe(0);
    const page = await open(search('ResearchTask="probe" AND ResearchStatus="stopped"'));
    await expect
      .poll(async () => {
        await page.reload();
        await page
          .getByText(/^[1-9]\d* Workflows?$/)
          .or(page.getByText('No Workflows Found'))
          .first()
          .waitFor();
        return rowOf(page, RUN).getByRole('cell', { name: 'Completed', exact: true }).count();
      }, PATIENCE)
      .toBe(1);
  });
});
