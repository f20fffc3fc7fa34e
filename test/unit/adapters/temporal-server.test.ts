import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homePaths, type Home } from '../../../src/adapters/layout.ts';
import { identityOf, isAlive } from '../../../src/adapters/process-identity.ts';
import { PACKAGE_ROOT, pythonPath, temporalPath } from '../../../src/adapters/project.ts';
import {
  addressOf,
  claimDatabase,
  freePorts,
  isListening,
  portsOf,
  serverArguments,
  ServerRecord,
  serverVersion,
  startServer,
  webUiOf,
} from '../../../src/adapters/temporal-server.ts';
import { until } from '../../support/gate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { containing, matching } from '../../support/matchers.ts';

function homeWithState(): Home {
  const home = { root: temporaryFolder() };
  mkdirSync(homePaths(home).state, { recursive: true });
  return home;
}

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** A program in the place of `temporal` that stays, or does what `script` says. */
function programThat(script: string): string {
  const path = join(temporaryFolder(), 'temporal');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the version of the server', () => {
  test('is read from the binary that set-up made', async () => {
    expect(await serverVersion(temporalPath())).toMatch(/^\d+\.\d+\.\d+/);
  });

  test.each([
    ['missing', '/no/such/temporal'],
    ['broken', programThat.bind(null, 'exit 3')],
    ['something else', programThat.bind(null, 'echo hello')],
  ])('cannot be had from a binary that is %s, and it is said how to get one', async (_, binary) => {
    const path = typeof binary === 'string' ? binary : binary();
    await expect(serverVersion(path)).rejects.toMatchObject({ type: 'HostFailed', message: containing(path) });
  });
});

describe('a database', () => {
  test('is marked with the version that makes it, and opened by the same one', async () => {
    const home = homeWithState();
    await claimDatabase(home, '1.32.0');
    expect(readFileSync(`${homePaths(home).database}.version`, 'utf8')).toBe('1.32.0\n');
    writeFileSync(homePaths(home).database, 'x');
    await claimDatabase(home, '1.32.0');
  });

  test('of another version is refused with both, and what to do', async () => {
    const home = homeWithState();
    await claimDatabase(home, '1.31.0');
    writeFileSync(homePaths(home).database, 'x');
    await expect(claimDatabase(home, '1.32.0')).rejects.toMatchObject({
      type: 'HostFailed',
      message: matching(/1\.31\.0.*1\.32\.0/),
      fix: containing('runs/'),
    });
    expect(readFileSync(`${homePaths(home).database}.version`, 'utf8')).toBe('1.31.0\n');
  });

  test('that is not there yet is marked anew, whatever the mark of an older one said', async () => {
    const home = homeWithState();
    await claimDatabase(home, '1.31.0');
    await claimDatabase(home, '1.32.0');
    expect(readFileSync(`${homePaths(home).database}.version`, 'utf8')).toBe('1.32.0\n');
  });
});

describe('ports', () => {
  test('are the preferred pair when it is free', async () => {
    const one = await listen();
    const two = await listen();
    const pair = { port: one.port, uiPort: two.port };
    await Promise.all([one, two].map(({ server }) => new Promise((done) => server.close(done))));
    expect(await freePorts(pair)).toEqual(pair);
  });

  test('are another pair, a thousand apart, when one of the preferred is taken', async () => {
    const taken = await listen();
    const { port, uiPort } = await freePorts({ port: taken.port, uiPort: 1 });
    expect(port).not.toBe(taken.port);
    expect(port).toBeGreaterThanOrEqual(7233);
    expect(uiPort).toBe(port + 1000);
    expect(await isListening(addressOf({ port, uiPort }))).toBe(false);
  });

  test('are seen as listening only while somebody listens', async () => {
    const { server, port } = await listen();
    expect(await isListening(`127.0.0.1:${port}`)).toBe(true);
    await new Promise((done) => server.close(done));
    expect(await isListening(`127.0.0.1:${port}`)).toBe(false);
  });

  test('go into the addresses and come back from a record', () => {
    const ports = { port: 7240, uiPort: 8240 };
    expect(addressOf(ports)).toBe('127.0.0.1:7240');
    expect(webUiOf(ports)).toBe('http://127.0.0.1:8240');
    expect(portsOf({ address: addressOf(ports), uiPort: 8240 })).toEqual(ports);
  });
});

test('the server is told to listen on loopback alone, to write ahead, and to sync every commit', () => {
  const line = serverArguments('/db', { port: 1, uiPort: 2 }).join(' ');
  expect(line).toContain('server start-dev --ip 127.0.0.1 --port 1 --ui-ip 127.0.0.1 --ui-port 2 --db-filename /db');
  expect(line).toContain('journal_mode=WAL');
  expect(line).toContain('synchronous=FULL');
  expect(line).toContain('frontend.WorkerCommandsEnabled=true');
});

describe('the process of the server', () => {
  function start(home: Home, script: string) {
    const env = { ...process.env, SCIENTIST_TEMPORAL: programThat(script) };
    const log = openSync(join(homePaths(home).state, 'log'), 'a');
    const child = startServer(home, { ports: { port: 1, uiPort: 2 }, version: '9.9.9', env, log });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  }

  test('writes its own record, which is that of the program that it becomes', async () => {
    const home = homeWithState();
    const child = start(home, `echo "$@" > "${home.root}/arguments"; exec sleep 60`);
    await until(() => existsSync(join(home.root, 'arguments')));
    const record = ServerRecord.parse(JSON.parse(readFileSync(homePaths(home).server, 'utf8')));
    expect(record).toMatchObject({ address: '127.0.0.1:1', uiPort: 2, version: '9.9.9' });
    expect(record.identity).toEqual(identityOf(child.pid ?? 0));
    expect(readFileSync(join(home.root, 'arguments'), 'utf8')).toContain(homePaths(home).database);
  });

  test('is refused while another one lives, and may start as soon as that is killed', async () => {
    const home = homeWithState();
    const first = start(home, `touch "${home.root}/runs-$$"; exec sleep 60`);
    await until(() => existsSync(join(home.root, `runs-${first.pid}`)));
    const second = start(home, `touch "${home.root}/second"; exec sleep 60`);
    expect((await once(second, 'exit'))[0]).toBe(75);
    expect(existsSync(join(home.root, 'second'))).toBe(false);
    const record = ServerRecord.parse(JSON.parse(readFileSync(homePaths(home).server, 'utf8')));
    expect(record.identity.pid).toBe(first.pid);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(isAlive(record.identity)).toBe(false);
    const third = start(home, `touch "${home.root}/runs-$$"; exec sleep 60`);
    await until(() => existsSync(join(home.root, `runs-${third.pid}`)));
  });

  test('finds its launcher in the package', async () => {
    const child = spawn(pythonPath(), ['-m', 'py_compile', join(PACKAGE_ROOT, 'python', 'exec_locked.py')], {
      stdio: 'ignore',
      env: { PYTHONPYCACHEPREFIX: temporaryFolder() },
    });
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});
