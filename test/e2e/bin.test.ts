import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Checkout, makeCheckout, put, type Started } from '../support/setup-checkout.ts';

const BIN = join('bin', 'scientist.mjs');

/** Stands in for the command: tells what it was given and runs on, and how it ends is up to its signals. */
const MAIN = `
export async function main(argv: string[]): Promise<number> {
  console.log(JSON.stringify({ argv, node: process.version }));
  if (argv[0] !== 'wait') return Number(argv[0]);
  const alive = setInterval(() => undefined, 1000);
  const signal = await new Promise<string>((done) => {
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => { setTimeout(() => { done(name); }, 200); });
    console.log('ready');
  });
  clearInterval(alive);
  console.log('ended by ' + signal);
  return signal === 'SIGINT' ? 130 : 143;
}
`;

async function readyCheckout(): Promise<Checkout> {
  const checkout = makeCheckout();
  put(checkout, 'src/cli/main.ts', MAIN);
  expect((await checkout.start(process.execPath, [join('scripts', 'setup.mjs')]).ended).code).toBe(0);
  return checkout;
}

/** A Node of another major version that this machine has on PATH, if any. */
function otherNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((node) => {
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return status === 0 && /^v2[0-35-9]\./.test(stdout);
  });
}

/** Waits until the process has printed `text`. */
function printed({ child }: Started, text: string): Promise<void> {
  return new Promise((done) => {
    child.stdout?.on('data', (data: Buffer) => {
      if (data.toString().includes(text)) done();
    });
  });
}

describe('bin/scientist.mjs', () => {
  test('in a checkout that is not set up says in one line what to do, with exit code 3', async () => {
    const { code, out } = await makeCheckout().start(process.execPath, [BIN, 'devices']).ended;
    expect(code).toBe(3);
    expect(out.trim().split('\n')).toEqual([expect.stringMatching(/not set up, or out of date: run `npm run setup` in \//)]);
  });

  test("on the project's Node passes arguments on and ends with the command's exit code", async () => {
    const { code, out } = await (await readyCheckout()).start(process.execPath, [BIN, '4', '--set', 'a b=c']).ended;
    expect(code).toBe(4);
    expect(JSON.parse(out)).toEqual({ argv: ['4', '--set', 'a b=c'], node: process.version });
  });
});

const other = otherNode();

describe.skipIf(other === undefined)('bin/scientist.mjs on another Node', () => {
  const node = other ?? '';

  test("goes on on the project's Node", async () => {
    const { code, out } = await (await readyCheckout()).start(node, [BIN, '4', 'x']).ended;
    expect(code).toBe(4);
    expect(JSON.parse(out)).toEqual({ argv: ['4', 'x'], node: process.version });
  });

  test('passes SIGTERM on and waits for the command to end', async () => {
    const started = (await readyCheckout()).start(node, [BIN, 'wait']);
    await printed(started, 'ready');
    started.child.kill('SIGTERM');
    const { code, out } = await started.ended;
    expect(code).toBe(143);
    expect(out).toMatch(/ended by SIGTERM/);
  });

  test('leaves Ctrl-C, which reaches both, to the command', async () => {
    const started = (await readyCheckout()).start(node, [BIN, 'wait']);
    await printed(started, 'ready');
    started.interrupt();
    const { code, out } = await started.ended;
    expect(code).toBe(130);
    expect(out.match(/ended by/g)).toHaveLength(1);
  });
});
