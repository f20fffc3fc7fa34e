import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporalPath } from '../../src/adapters/project.ts';
import { until } from '../support/gate.ts';
import { type Checkout, makeCheckout, PINNED, put } from '../support/setup-checkout.ts';

const SET_UP = join('scripts', 'setup.mjs');
const ALL = ['npm start', 'npm end', 'venv start', 'venv end', 'pip start', 'pip end'];
const setUp = (checkout: Checkout) => checkout.start(process.execPath, [SET_UP]);

/** Set-up that must succeed; gives what it printed. */
async function setUpWell(checkout: Checkout): Promise<string> {
  const { code, out } = await setUp(checkout).ended;
  expect(out).not.toMatch(/Error/);
  expect(code).toBe(0);
  return out;
}

/** Makes npm so slow that it gets nowhere and only ends when it is ended; gives the quick one. */
function slowNpm(checkout: Checkout): string {
  const quick = readFileSync(join(checkout.tools, 'npm'), 'utf8');
  checkout.tool('npm', quick.replace('rm -rf node_modules;', 'sleep 20;'));
  return quick;
}

describe('set-up of a fresh checkout', () => {
  test('does every step once, says how long each took, and the next time has nothing to do or say', async () => {
    const checkout = makeCheckout();
    const out = await setUpWell(checkout);
    expect(out).toMatch(
      /npm packages ready in [\d.]+ s\n[^]*Python packages ready in [\d.]+ s[^]*temporal ready in [\d.]+ s[^]*done in/,
    );
    expect(out).toMatch(/export PATH="\$PWD\/\.scientist\/venv\/bin:\$PATH"/);
    expect(checkout.log()).toEqual(ALL);
    expect(await setUpWell(checkout)).toBe('');
    expect(checkout.log()).toEqual(ALL);
  });

  test('leaves nothing behind but what it made', async () => {
    const checkout = makeCheckout();
    await setUpWell(checkout);
    expect(readdirSync(join(checkout.root, '.scientist')).sort()).toEqual(['logs', 'setup.json', 'venv']);
  });

  test('the recorded temporal is the one that the project then uses', async () => {
    const checkout = makeCheckout();
    await setUpWell(checkout);
    expect(temporalPath({}, checkout.root)).toBe(join(checkout.root, '.scientist/venv/bin/temporal'));
  });
});

describe('set-up of what has changed', () => {
  test('another lock file brings the npm packages again, and only them', async () => {
    const checkout = makeCheckout();
    await setUpWell(checkout);
    appendFileSync(join(checkout.root, 'package-lock.json'), '\n');
    await setUpWell(checkout);
    expect(checkout.log()).toEqual([...ALL, 'npm start', 'npm end']);
  });

  test('other requirements bring the Python packages again, and only them', async () => {
    const checkout = makeCheckout();
    await setUpWell(checkout);
    appendFileSync(join(checkout.root, 'python/requirements.txt'), '# another\n');
    await setUpWell(checkout);
    expect(checkout.log()).toEqual([...ALL, ...ALL.slice(2)]);
  });
});

describe('the temporal command', () => {
  const fake = (version: string) => `#!/bin/sh\necho "temporal version ${version} (Server 1.0.0)"\n`;

  test('of the pinned version is taken from PATH, and without it the advice about PATH is not needed', async () => {
    const checkout = makeCheckout();
    checkout.tool('temporal', fake(PINNED));
    expect(await setUpWell(checkout)).not.toMatch(/export PATH/);
    expect(temporalPath({}, checkout.root)).toBe(join(checkout.tools, 'temporal'));
  });

  test('of another version on PATH is left alone', async () => {
    const checkout = makeCheckout();
    checkout.tool('temporal', fake('0.9.0'));
    await setUpWell(checkout);
    expect(temporalPath({}, checkout.root)).toBe(join(checkout.root, '.scientist/venv/bin/temporal'));
  });

  test('that was replaced on PATH since is chosen anew', async () => {
    const checkout = makeCheckout();
    checkout.tool('temporal', fake(PINNED));
    await setUpWell(checkout);
    checkout.tool('temporal', fake('12.34.567'));
    await setUpWell(checkout);
    expect(temporalPath({}, checkout.root)).toBe(join(checkout.root, '.scientist/venv/bin/temporal'));
  });

  test('that cannot be had is named with where to get it', async () => {
    const { code, out } = await setUp(makeCheckout({ NO_TEMPORAL: '1' })).ended;
    expect(code).toBe(3);
    expect(out).toMatch(new RegExp(`temporal CLI ${PINNED} is needed.*https://docs\\.temporal\\.io/cli`));
  });
});

describe('something missing is said in one line with exit code 3, before anything is installed', () => {
  const old = '#!/bin/sh\ncase "$1" in -c) echo 3.10.13 ;; esac\n';
  const bare = '#!/bin/sh\necho "ModuleNotFoundError: No module named \'ensurepip\'" >&2\nexit 1\n';
  const cases = [
    { missing: 'Python', tools: { 'python3.11': null }, says: /Python 3\.11 or newer .* is needed: install/ },
    { missing: 'a newer Python', tools: { 'python3.11': null, python3: old }, says: /is needed \(python3 is 3\.10\.13\)/ },
    { missing: "Python's venv", tools: { 'python3.11': bare }, says: /python3\.11 has no venv module.*python3-venv/ },
    { missing: 'npm', tools: { npm: null }, says: /npm is needed: install Node/ },
  ] as const;

  test.each(cases)('$missing', async ({ tools, says }) => {
    const checkout = makeCheckout();
    for (const [name, script] of Object.entries(tools)) checkout.tool(name, script);
    const { code, out } = await setUp(checkout).ended;
    expect(code).toBe(3);
    expect(out.trim().split('\n')).toEqual([expect.stringMatching(says)]);
    expect(checkout.log()).toEqual([]);
  });

  test('an installer that fails is named with its last words, and set-up goes on from there the next time', async () => {
    const checkout = makeCheckout();
    const good = readFileSync(join(checkout.tools, 'npm'), 'utf8');
    checkout.tool('npm', '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "getaddrinfo ENOTFOUND" >&2\nexit 1\n');
    const { code, out } = await setUp(checkout).ended;
    expect(code).toBe(3);
    expect(out).toMatch(/npm failed \(1\): check the network[^]*setup-npm\.log[^]*ENOTFOUND/);
    checkout.tool('npm', good);
    await setUpWell(checkout);
    expect(checkout.log()).toEqual(ALL);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written', async () => {
    const checkout = makeCheckout();
    chmodSync(checkout.root, 0o555);
    const { code, out } = await setUp(checkout).ended;
    chmodSync(checkout.root, 0o755);
    expect(code).toBe(3);
    expect(out).toMatch(/write permission/);
  });
});

describe('set-up can be interrupted', () => {
  test('by SIGKILL at any moment: the next one ends what was left running, and completes', async () => {
    const checkout = makeCheckout({ SLOW: '0.03' });
    for (let delay = 40; !existsSync(join(checkout.root, '.scientist/setup.json')); delay += 25) {
      const { child, ended } = setUp(checkout);
      await sleep(delay);
      child.kill('SIGKILL');
      await ended;
    }
    await setUpWell(checkout);
    expect(checkout.log()).not.toContain('OVERLAP');
    expect(checkout.log().filter((line) => line.endsWith('start')).length).toBeGreaterThan(3);
    expect(existsSync(join(checkout.root, 'node_modules/package-5'))).toBe(true);
    expect(temporalPath({}, checkout.root)).toMatch(/venv\/bin\/temporal$/);
  });

  test('by SIGKILL while npm runs on: the next one ends that npm before it starts its own', async () => {
    const checkout = makeCheckout();
    const quick = slowNpm(checkout);
    const { child, ended } = setUp(checkout);
    await until(() => checkout.log().includes('npm start'));
    child.kill('SIGKILL');
    await ended;
    checkout.tool('npm', quick);
    await setUpWell(checkout);
    expect(checkout.log()).toEqual(['npm start', ...ALL]);
  });

  test('by SIGKILL while npm replaces packages: going back to the old lock file does not make the mixture good', async () => {
    const checkout = makeCheckout();
    await setUpWell(checkout);
    const lockFile = join(checkout.root, 'package-lock.json');
    const old = readFileSync(lockFile, 'utf8');
    writeFileSync(lockFile, `${old}\n`);
    const quick = slowNpm(checkout);
    const { child, ended } = setUp(checkout);
    await until(() => checkout.log().length > ALL.length);
    child.kill('SIGKILL');
    await ended;
    writeFileSync(lockFile, old);
    checkout.tool('npm', quick);
    await setUpWell(checkout);
    expect(checkout.log()).toEqual([...ALL, 'npm start', 'npm start', 'npm end']);
  });

  test('by Ctrl-C: the installer ends with it, the exit code is 130, and nothing blocks the next one', async () => {
    const checkout = makeCheckout();
    const quick = slowNpm(checkout);
    const { child, ended } = setUp(checkout);
    await until(() => checkout.log().includes('npm start'));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(readdirSync(join(checkout.root, '.scientist'))).toEqual(['logs']);
    checkout.tool('npm', quick);
    await setUpWell(checkout);
    expect(checkout.log()).toEqual(['npm start', ...ALL]);
  });

  test('two at once do the work once, and the second says whom it waits for', async () => {
    const checkout = makeCheckout({ SLOW: '0.1' });
    const both = [setUp(checkout), setUp(checkout), setUp(checkout)].map(({ ended }) => ended);
    const results = await Promise.all(both);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(checkout.log()).toEqual(ALL);
    expect(results.filter(({ out }) => /waiting for another set-up of this folder \(process \d+\)/.test(out))).toHaveLength(2);
  });

  test('a lock of a process that is long dead, or of another one with its number, blocks nobody', async () => {
    for (const holder of ['{"pid":999999999,"start":"1"}', `{"pid":${process.pid},"start":"1"}`, 'not even JSON']) {
      const checkout = makeCheckout();
      put(checkout, '.scientist/setup.lock', holder);
      await setUpWell(checkout);
    }
  });
});
