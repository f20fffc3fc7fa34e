#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { modulesReady, ROOT, setupPaths, venvReady } from '../scripts/setup/state.mjs';

/**
 * The command `scientist`. Plain JavaScript, because any Node from 20 on may start it: it makes sure that the
 * checkout is set up and goes on in src/cli/main.ts on the project's own Node, which runs TypeScript directly.
 */

const ENVIRONMENT = 3;
const PROJECT_NODE_MAJOR = '24';

/** Runs this file again on the project's Node; gives its exit code. */
function rerun(args) {
  const child = spawn(setupPaths(ROOT).node, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' });
  // Ctrl-C and a closed terminal reach the whole group, the child included, which decides; this one only waits.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}

async function run(args) {
  if (!modulesReady(ROOT) || !venvReady(ROOT)) {
    console.error(`scientist is not set up, or out of date: run \`npm run setup\` in ${ROOT}`);
    return ENVIRONMENT;
  }
  if (process.versions.node.split('.')[0] !== PROJECT_NODE_MAJOR) return rerun(args);
  const { main } = await import('../src/cli/main.ts');
  return main(args);
}

process.exit(await run(process.argv.slice(2)));
