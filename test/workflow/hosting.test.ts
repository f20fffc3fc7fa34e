import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { takeDevice } from '../../src/adapters/device-lock.ts';
import { homePaths, type Home } from '../../src/adapters/layout.ts';
import { thisHost } from '../../src/adapters/list-devices.ts';
import { isAlive, signalProcess, type ProcessIdentity } from '../../src/adapters/process-identity.ts';
import { PACKAGE_ROOT, temporalPath } from '../../src/adapters/project.ts';
import { isListening } from '../../src/adapters/temporal-server.ts';
import { DeviceHealth } from '../../src/activities/device-health.ts';
import { chooseDevices, parseDeviceSpec } from '../../src/domain/device-spec.ts';
import { healthQueue, type Device } from '../../src/domain/device.ts';
import { DeviceName } from '../../src/domain/ids.ts';
import { SEARCH_ATTRIBUTES } from '../../src/domain/messages.ts';
import { connectClient } from '../../src/workers/client.ts';
import { attach, attachedServices, type Attachment } from '../../src/workers/hosting.ts';
import { registeredSearchAttributes } from '../../src/workers/prepare-server.ts';
import { livingSupervisor, livingWorkers, logPath, readServerRecord } from '../../src/workers/records.ts';
import { eventually } from '../support/gate.ts';
import { containing } from '../support/matchers.ts';

/** The hosting of a project's services, with real processes, real kills and the real server. */

const PREFIX = 'hosting-test.';

function temporaryHome(): Home {
  return { root: mkdtempSync(join(tmpdir(), 'scientist-hosting-')) };
}

function cpuSlots(count: number): Device[] {
  const found = { gpus: [], cores: count, notes: [] };
  return chooseDevices(parseDeviceSpec(`cpu:${count}`), found, { host: thisHost(), queuePrefix: PREFIX }).devices;
}

/** Every living process of a home by role, as the records tell. */
async function processes(home: Home): Promise<Map<string, ProcessIdentity>> {
  const server = await readServerRecord(home);
  const supervisor = await livingSupervisor(home);
  const workers = (await livingWorkers(home)).filter(({ state }) => state === 'ready');
  return new Map([
    ...(server !== null && isAlive(server.identity) ? [['server', server.identity] as const] : []),
    ...(supervisor === null ? [] : [['supervisor', supervisor.identity] as const]),
    ...workers.map(({ role, identity }) => [role, identity] as const),
  ]);
}

function identityOfRole(all: ReadonlyMap<string, ProcessIdentity>, part: string): ProcessIdentity {
  const entry = [...all].find(([role]) => role.startsWith(part));
  if (entry === undefined) throw new Error(`no process of ${part} among ${[...all.keys()].join(', ')}`);
  return entry[1];
}

/** SIGKILL to all of them; returns when the system has no trace of them. */
async function kill(identities: Iterable<ProcessIdentity>): Promise<void> {
  const all = [...identities];
  for (const identity of all) signalProcess(identity, 'SIGKILL');
  await eventually('the killed processes are dead', () => Promise.resolve(!all.some(isAlive)));
}

async function health(client: Client, device: Device): Promise<DeviceHealth> {
  const options = { id: `health-${performance.now()}`, taskQueue: healthQueue(device.queue), startToCloseTimeout: '5s' } as const;
  return DeviceHealth.parse(
    await client.activity.execute('deviceHealth', { ...options, scheduleToCloseTimeout: '30s', args: [] }),
  );
}

/** Whether the control worker runs workflow code: the default workflow refuses an unknown type at once. */
async function refusal(client: Client): Promise<string> {
  const options = { workflowId: `unknown-${performance.now()}`, taskQueue: `${PREFIX}research` };
  const error: unknown = await client.workflow.execute('unknownType', options).catch((reason: unknown) => reason);
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no error';
}

/** Everything of a home that runs is dead. */
async function allEnded(home: Home, seen: readonly ProcessIdentity[]): Promise<true> {
  return eventually('every process of the home has ended', async () => (await processes(home)).size === 0 && !seen.some(isAlive));
}

function attachQuietly(home: Home, devices: readonly Device[]): Promise<Attachment> {
  return attach({ home, devices, queuePrefix: PREFIX, notify: () => undefined });
}

/** The error of a promise that must fail. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('services that are attached to', () => {
  const home = temporaryHome();
  const [cpu0, cpu1] = cpuSlots(2) as [Device, Device];
  const lines: string[] = [];
  let attachment: Attachment;
  let client: Client;

  beforeAll(async () => {
    process.env['OPENAI_API_KEY'] = 'a-secret-of-the-test';
    attachment = await attach({ home, devices: [cpu0, cpu1], queuePrefix: PREFIX, notify: (line) => lines.push(line) });
    client = await connectClient(attachment.server);
  });

  afterAll(async () => {
    delete process.env['OPENAI_API_KEY'];
    await client.connection.close();
    await attachment.detach();
    rmSync(home.root, { recursive: true, force: true });
  });

  test('are all ready, and each line says what was started', async () => {
    expect(attachment.devices.map(({ name }) => name)).toEqual(['cpu0', 'cpu1']);
    expect(lines[0]).toMatch(/^server: 127\.0\.0\.1:\d+, Web UI http:\/\/127\.0\.0\.1:\d+$/);
    expect(lines[1]).toMatch(/^workers: control, proposals, cpu0, cpu1 ready in /);
    expect(await attachedServices(home)).toMatchObject({ server: attachment.server, devices: attachment.devices, holders: 1 });
  });

  test('answer: a device tells its health, the control worker runs workflow code, the server knows the search attributes', async () => {
    const device = identityOfRole(await processes(home), 'device-cpu1');
    expect(await health(client, cpu1)).toMatchObject({ device: 'cpu1', pid: device.pid, running: null });
    expect(await refusal(client)).toContain('no workflow type unknownType');
    expect(await registeredSearchAttributes(client.connection as never, 'default')).toEqual(
      Object.keys(SEARCH_ATTRIBUTES).sort(),
    );
  });

  test.runIf(process.platform === 'linux')('give keys to the proposals worker alone', async () => {
    const all = await processes(home);
    const hasKey = (part: string) =>
      readFileSync(`/proc/${identityOfRole(all, part).pid}/environ`, 'utf8').includes('a-secret-of-the-test');
    expect(['proposals', 'control', 'device-cpu0', 'device-cpu1', 'server'].map(hasKey)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('come back when the supervisor is killed, and nothing is started twice', async () => {
    const before = await processes(home);
    await kill([identityOfRole(before, 'supervisor')]);
    await eventually('another supervisor', async () => (await livingSupervisor(home))?.services.length === 5);
    const after = await processes(home);
    expect(identityOfRole(after, 'supervisor').pid).not.toBe(identityOfRole(before, 'supervisor').pid);
    const log = readFileSync(logPath(home, 'supervisor'), 'utf8').split(' started as process ').at(-1) ?? '';
    expect(log.match(/was found as process/g)?.length).toBe(5);
    expect(log).not.toContain('was started');
    for (const role of ['server', 'control', 'proposals', 'device-cpu0', 'device-cpu1']) {
      expect(identityOfRole(after, role)).toEqual(identityOfRole(before, role));
    }
  });

  test.each(['control', 'device-cpu0', 'server'])(
    'come back when %s is killed, though the supervisor only found it',
    async (role) => {
      const before = await processes(home);
      await kill([identityOfRole(before, role)]);
      const after = await eventually(`another ${role}`, async () => {
        const now = await processes(home);
        return now.size === before.size && now;
      });
      const others = [...before].filter(([other]) => !other.startsWith(role));
      expect(others.every(([other, identity]) => after.get(other)?.pid === identity.pid)).toBe(true);
      expect((await readServerRecord(home))?.address).toBe(attachment.server.address);
      expect(await refusal(client)).toContain('no workflow type');
      expect((await health(client, cpu0)).pid).toBe(identityOfRole(after, 'device-cpu0').pid);
      expect(
        (await livingSupervisor(home))?.services.some((service) => service.role.startsWith(role) && service.restarts >= 1),
      ).toBe(true);
    },
  );

  test('come back when all of them are killed at once', async () => {
    const before = await processes(home);
    await kill(before.values());
    await eventually('all processes again', async () => (await processes(home)).size === before.size);
    expect(await refusal(client)).toContain('no workflow type');
    expect((await health(client, cpu0)).running).toBeNull();
  });

  test('are shared by a second command, go on without the first, and stop with the last', async () => {
    const first = await processes(home);
    const second = await attachQuietly(home, [cpu0]);
    expect(await processes(home)).toEqual(first);
    await second.detach();
    await sleep(2500);
    expect(await processes(home)).toEqual(first);
    await attachment.detach();
    expect(await processes(home)).toEqual(new Map());
    expect([...first.values()].filter(isAlive)).toEqual([]);
    expect(await attachedServices(home)).toBeNull();
  });
});

describe.concurrent('a command that is killed', () => {
  async function attachedCommand(home: Home): Promise<ChildProcess> {
    const order = JSON.stringify({ root: home.root, devices: cpuSlots(1), queuePrefix: PREFIX });
    const child = spawn(process.execPath, [join(PACKAGE_ROOT, 'test/fixtures/hosting/attached-command.ts'), order], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('exit', (code) => {
        reject(new Error(`the command ended with ${code}`));
      });
    });
    return child;
  }

  test('is noticed: what it held stops by itself', async ({ onTestFinished }) => {
    const home = temporaryHome();
    onTestFinished(() => {
      rmSync(home.root, { recursive: true, force: true });
    });
    const command = await attachedCommand(home);
    const seen = [...(await processes(home)).values()];
    expect(seen.length).toBe(5);
    command.kill('SIGKILL');
    await allEnded(home, seen);
  });

  test('together with its project’s folder leaves nothing either', async () => {
    const home = temporaryHome();
    const command = await attachedCommand(home);
    const workers = await livingWorkers(home);
    const seen = await processes(home);
    command.kill('SIGKILL');
    await kill([identityOfRole(seen, 'supervisor')]);
    rmSync(home.root, { recursive: true, force: true });
    await eventually('the workers have ended', () => Promise.resolve(!workers.some(({ identity }) => isAlive(identity))));
    await kill([identityOfRole(seen, 'server')]);
  });

  test('together with the supervisor leaves workers that see to their own end', async ({ onTestFinished }) => {
    const home = temporaryHome();
    onTestFinished(() => {
      rmSync(home.root, { recursive: true, force: true });
    });
    const command = await attachedCommand(home);
    const seen = await processes(home);
    command.kill('SIGKILL');
    signalProcess(identityOfRole(seen, 'supervisor'), 'SIGKILL');
    await allEnded(home, [...seen.values()]);
  });
});

describe('what cannot be hosted', () => {
  test('a database of another server version is refused with both versions, and nothing is left', async () => {
    const home = temporaryHome();
    onTestFinished(() => {
      rmSync(home.root, { recursive: true, force: true });
    });
    mkdirSync(homePaths(home).state, { recursive: true });
    writeFileSync(homePaths(home).database, 'a database');
    writeFileSync(`${homePaths(home).database}.version`, '1.0.0\n');
    const error = await failureOf(attachQuietly(home, []));
    expect(error).toMatchObject({ type: 'HostFailed', message: containing('made by Temporal server 1.0.0') });
    expect(await attachedServices(home)).toBeNull();
  });

  test('a device that another process holds is refused with the name of the holder', async () => {
    const home = temporaryHome();
    onTestFinished(() => {
      rmSync(home.root, { recursive: true, force: true });
    });
    const uuid = `GPU-${process.pid}-hosting-test`;
    const gpu: Device = {
      name: DeviceName.parse(`gpu-${process.pid}`),
      host: thisHost(),
      kind: 'gpu',
      queue: `${PREFIX}gpu`,
      uuid,
      memoryMiB: null,
    };
    const lock = await takeDevice({ root: '/elsewhere' }, gpu);
    const error = await failureOf(attachQuietly(home, [gpu]));
    await lock.release();
    expect(error).toMatchObject({ type: 'NoDevice', message: containing(`is held by process ${process.pid}`) });
    await allEnded(home, []);
  });

  test('without a temporal binary or a Python the error says so and what to run', async () => {
    const home = temporaryHome();
    onTestFinished(() => {
      rmSync(home.root, { recursive: true, force: true });
    });
    vi.stubEnv('SCIENTIST_TEMPORAL', '/no/such/temporal');
    expect(await failureOf(attachQuietly(home, []))).toMatchObject({
      type: 'HostFailed',
      message: containing('/no/such/temporal'),
      fix: containing('npm run setup'),
    });
    vi.stubEnv('SCIENTIST_PYTHON', '/no/such/python');
    expect(await failureOf(attachQuietly(home, []))).toMatchObject({
      type: 'HostFailed',
      message: containing('/no/such/python'),
    });
    expect(existsSync(homePaths(home).attached)).toBe(false);
  });

  test('a home that is no folder is refused before anything is started', async () => {
    const file = join(tmpdir(), `scientist-not-a-folder-${process.pid}`);
    writeFileSync(file, '');
    onTestFinished(() => {
      rmSync(file);
    });
    expect(await failureOf(attachQuietly({ root: file }, []))).toMatchObject({
      type: 'HostFailed',
      message: containing('cannot be written'),
    });
  });
});

describe('the server', () => {
  test('moves to another pair of ports when the first is taken', async () => {
    const home = temporaryHome();
    const holder = await listen(7233);
    onTestFinished(() => {
      holder?.close();
      rmSync(home.root, { recursive: true, force: true });
    });
    const attachment = await attachQuietly(home, []);
    onTestFinished(() => attachment.detach());
    const port = Number(attachment.server.address.split(':')[1]);
    expect(port).toBeGreaterThan(7233);
    expect(attachment.server.webUi).toBe(`http://127.0.0.1:${port + 1000}`);
    expect(await isListening(attachment.server.address)).toBe(true);
  });

  test('of an outside address is used as it is: workers are hosted, no server is started, and it outlives them', async () => {
    const home = temporaryHome();
    const address = '127.0.0.1:17233';
    const outside = spawn(temporalPath(), ['server', 'start-dev', '--port', '17233', '--headless', '--namespace', 'lab'], {
      stdio: 'ignore',
    });
    onTestFinished(() => {
      outside.kill('SIGKILL');
      rmSync(home.root, { recursive: true, force: true });
    });
    vi.stubEnv('TEMPORAL_ADDRESS', address);
    vi.stubEnv('TEMPORAL_NAMESPACE', 'lab');
    const attachment = await attachQuietly(home, cpuSlots(1));
    expect(attachment.server).toEqual({ address, namespace: 'lab', webUi: null, embedded: false });
    const client = await connectClient(attachment.server);
    expect((await health(client, cpuSlots(1)[0] as Device)).device).toBe('cpu0');
    expect(await registeredSearchAttributes(client.connection as never, 'lab')).toEqual([]);
    await client.connection.close();
    const seen = [...(await processes(home)).values()];
    await attachment.detach();
    await allEnded(home, seen);
    expect(existsSync(homePaths(home).database)).toBe(false);
    expect(await isListening(address)).toBe(true);
  });
});

/** Holds a port; `null` when somebody else holds it already, which serves as well. */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(null);
    });
    server.listen({ host: '127.0.0.1', port }, () => {
      resolve(server);
    });
  });
}
