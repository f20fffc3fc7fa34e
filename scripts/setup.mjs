import { checkNode } from './setup/checks.mjs';
import { takeLock } from './setup/lock.mjs';
import { SetupProblem } from './setup/problem.mjs';
import { endLeftovers } from './setup/processes.mjs';
import { recordedTemporal, ROOT, setupPaths } from './setup/state.mjs';
import { STEPS } from './setup/steps.mjs';

/**
 * Set-up of a checkout: npm packages, Python packages, the `temporal` binary, all inside the project's folder.
 * Plain JavaScript without dependencies for any Node from 20 on. Safe to repeat, to interrupt at any moment and
 * to run twice at once; without anything to do it says nothing. Exit codes: 0, 3 (something is missing).
 */

const say = (text) => console.error(`set-up: ${text}`);
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function setUp() {
  checkNode();
  if (missing().length === 0) return;
  const release = await takeLock(ROOT, say);
  process.on('exit', release);
  await endLeftovers(ROOT);
  await doSteps(missing());
}

function missing() {
  return STEPS.filter((step) => !step.ready(ROOT));
}

async function doSteps(steps) {
  const start = performance.now();
  const found = steps.map((step) => ({ step, needs: step.check(ROOT) }));
  for (const { step, needs } of found) await doStep(step, needs);
  say(`done in ${seconds(start)}`);
  if (recordedTemporal(ROOT)?.temporal === setupPaths(ROOT).venvTemporal) {
    say('to use the temporal command yourself: export PATH="$PWD/.scientist/venv/bin:$PATH"');
  }
}

async function doStep(step, needs) {
  const start = performance.now();
  say(`${step.name} …`);
  const remark = await step.run(ROOT, needs);
  say(`${step.name} ready in ${seconds(start)}${remark ? ` (${remark})` : ''}`);
}

try {
  await setUp();
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  say(error.message);
  process.exitCode = 3;
}
