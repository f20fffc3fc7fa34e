import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeWriteReport } from '../../src/activities/write-report.ts';
import { runPaths } from '../../src/adapters/layout.ts';
import { nodeId } from '../../src/domain/ids.ts';
import { findBrowser, NO_BROWSER } from '../support/browser.ts';
import { exampleReportInput, type Example } from '../support/example-run.ts';
import { HOSTILE_TEXTS } from '../support/hostile.ts';
import { evaluationIdOf, exampleRun, sketchJournal } from '../support/journal.ts';
import { storeRun } from '../support/stored-run.ts';

/** `report.html` as a person meets it: written by the activity, opened from a file in a real browser. */

const executable = await findBrowser();
const PHONE = { viewport: { width: 360, height: 740 } };

/** A red square that would tell, if it were markup: an image runs no scripts and loads nothing. */
const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="parent.document.title='owned'">
<script>parent.document.title='owned'</script><image href="http://evil.invalid/x.png" width="9" height="9"/><rect width="40" height="40" fill="red"/></svg>`;

let browser: Browser;
/** The folder of a usual run, and of one whose every text is hostile; both with their report. */
let usual: string;
let hostile: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (executable === null) return;
  // Chromium's own sandbox does not start for root, which is who tests run as in a container.
  browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
  usual = await writeRun(exampleReportInput());
  hostile = await writeRun(hostileExample());
});

beforeEach(({ skip }) => {
  skip(executable === null, NO_BROWSER);
});

afterEach(() => {
  expect(complaints.splice(0), 'what the browser complained of, and what was asked of the network').toEqual([]);
});

afterAll(async () => {
  if (executable === null) return;
  await browser.close();
  await Promise.all([usual, hostile].map((folder) => rm(dirname(dirname(folder)), { recursive: true, force: true })));
});

describe('report.html in a browser', () => {
  it('tells a stranger what was found, how sure that is and what failed, by role and text', async () => {
    const page = await open(usual);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Research run digits-20261129-1\s+completed$/);
    expect(await page.getByText('n10 (svc with pca) is the best program: accuracy 0.9724').isVisible()).toBe(true);
    expect(await page.getByText('95 % interval 0.9658 to 0.9790; mean over 3 fresh seeds').isVisible()).toBe(true);
    expect(await page.getByText('within the noise: better by 0.0049').first().isVisible()).toBe(true);
    expect(await page.getByText('4 failed: 1 exception, 1 timeout, 1 out_of_memory, 1 no_result').isVisible()).toBe(true);
    for (const name of [
      'The best program',
      'Stages at a glance',
      '1. Initial implementation',
      '4. Ablation studies',
      'How to read the numbers',
    ]) {
      expect(await page.getByRole('heading', { level: 2, name }).isVisible(), name).toBe(true);
    }
  });

  it('has tables and trees that a screen reader can walk', async () => {
    const page = await open(usual);
    const ablation = page.getByRole('region', { name: '4. Ablation studies' });
    const row = ablation.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'features.scaler n13' }) });
    expect(await row.getByText('needed: without it worse by 0.2050').isVisible()).toBe(true);
    const tree = page.getByRole('list', { name: 'Tree of baseline tuning' });
    expect(await tree.getByRole('listitem').count()).toBe(5);
    expect(await page.getByRole('img', { name: /^accuracy of 4 nodes, 2 failed, best n1/ }).isVisible()).toBe(true);
  });

  it('opens the details of a node by the keyboard', async () => {
    const page = await open(usual);
    const plan = page.getByText('Plan: Weaker regularisation, since the scaled features are on one scale.');
    expect(await plan.isVisible()).toBe(false);
    await page
      .getByRole('list', { name: 'Tree of baseline tuning' })
      .getByText('n7', { exact: true })
      .locator('xpath=ancestor::summary')
      .press('Enter');
    expect(await plan.isVisible()).toBe(true);
  });

  it('shows figures from the page itself, and from their files where they are large', async () => {
    const page = await open(usual);
    const images = page.getByRole('region', { name: '3. Creative research' }).getByRole('img', { name: /^n10, plot/ });
    expect(await images.count()).toBe(2);
    for (const image of await images.all()) await image.scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.evaluate<number[]>('[...document.images].map(({ naturalWidth }) => naturalWidth)'))
      .toEqual([40, 40]);
  });

  it('links to the places that it names', async () => {
    const page = await open(usual);
    await page.getByRole('link', { name: 'README.md' }).click();
    expect(page.url()).toBe(pathToFileURL(join(usual, 'best', 'README.md')).href);
  });

  it.each([
    ['a phone', PHONE],
    ['a phone at night', { ...PHONE, colorScheme: 'dark' }],
    ['a desk', { viewport: { width: 1280, height: 900 } }],
  ] as const)('fits on %s without scrolling sideways', async (_, options) => {
    for (const folder of [usual, hostile]) {
      const page = await open(folder, options);
      const [width, shown] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, window.innerWidth]');
      expect(width).toBeLessThanOrEqual(shown);
    }
  });

  it('is as readable in the dark as in the light', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(usual, { colorScheme });
      for (const selector of ['.found', '.soft', '.noise', '.bad', '.better', 'a']) {
        const ratio = await page.evaluate<number>(`(${CONTRAST})(document.querySelector('${selector}'))`);
        expect(ratio, `${selector}, ${colorScheme}`).toBeGreaterThan(4.5);
      }
    }
  });

  it('shows hostile texts as text, runs nothing and asks for nothing', async () => {
    const page = await open(hostile);
    await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
    expect(await page.getByText(`Plan: <script>document.title='owned'</script>`).first().isVisible()).toBe(true);
    expect(await page.getByText(`Failure: <img src=x onerror="document.title='owned'">`).first().isVisible()).toBe(true);
    expect(await page.title()).not.toContain('owned');
    expect(await page.locator('script').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'owned' }).count()).toBe(0);
  });
});

/** The contrast of an element's text with the page (WCAG 2, 1 to 21). */
const CONTRAST = `element => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(document.body).backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}`;

/** Opens the report in a run's folder; whatever the browser says or asks for is noted. */
async function open(folder: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  onTestFinished(() => page.context().close());
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog ${dialog.message()}`));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, 'report.html')).href, { waitUntil: 'load' });
  expect(await page.title()).toMatch(/^digits-20261129-1: /);
  return page;
}

/** Writes a run with two figures and its report, by the activity; gives the run's folder. */
async function writeRun(example: Example): Promise<string> {
  const home = { root: await mkdtemp(join(tmpdir(), 'scientist-page-')) };
  await storeRun(home, example);
  const { root } = runPaths(home, example.run.plan.runId);
  const figures = join(root, `evaluations/${evaluationIdOf(10, 'plot', 7)}/attempts/1.1/out`);
  await mkdir(figures, { recursive: true });
  await writeFile(join(figures, 'hostile.svg'), HOSTILE_SVG);
  await writeFile(join(figures, 'large (1).svg'), `${HOSTILE_SVG}<!--${'x'.repeat(300_000)}-->`);
  await makeWriteReport({ home })({ runId: example.run.plan.runId, outcome: 'completed', best: nodeId(10), stages: [] });
  return root;
}

function hostileExample(): Example {
  const run = exampleRun({ goal: HOSTILE_TEXTS[3] ?? '', warnings: HOSTILE_TEXTS, ignoredKeys: HOSTILE_TEXTS });
  const journal = sketchJournal(run);
  journal.begin('initial_implementation');
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    journal.node({
      id: 2 * index + 1,
      parent: index === 0 ? null : 2 * index - 1,
      label: text,
      plan: text,
      scores: [0.9 + index / 1000],
    });
    journal.node({ id: 2 * index + 2, label: text, message: text });
  }
  return { run, events: journal.events, experiments: new Map() };
}
