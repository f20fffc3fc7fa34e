import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectClient } from '../../../src/workers/client.ts';
import { connectionOptions, outsideServer } from '../../../src/workers/connect.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { containing } from '../../support/matchers.ts';

const embedded = { address: '127.0.0.1:1', namespace: 'default', webUi: null, embedded: true };

beforeEach(() => {
  for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', '/no/such/file.toml');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the server to use', () => {
  test('is the own one when the environment names none', () => {
    expect(outsideServer()).toBeNull();
    vi.stubEnv('TEMPORAL_NAMESPACE', 'lab');
    expect(outsideServer()).toBeNull();
  });

  test('is the outside one that the environment names, with its namespace', () => {
    vi.stubEnv('TEMPORAL_ADDRESS', 'cluster:7233');
    expect(outsideServer()).toEqual({ address: 'cluster:7233', namespace: 'default', webUi: null, embedded: false });
    vi.stubEnv('TEMPORAL_NAMESPACE', 'lab');
    expect(outsideServer()?.namespace).toBe('lab');
  });

  test('may be named by a profile in a configuration file', () => {
    const file = join(temporaryFolder(), 'temporal.toml');
    writeFileSync(file, '[profile.default]\naddress = "file:7233"\nnamespace = "filed"\n');
    vi.stubEnv('TEMPORAL_CONFIG_FILE', file);
    expect(outsideServer()).toMatchObject({ address: 'file:7233', namespace: 'filed' });
  });
});

test('keys of the environment go to an outside server only', () => {
  vi.stubEnv('TEMPORAL_API_KEY', 'secret');
  expect(connectionOptions(embedded)).toEqual({ address: '127.0.0.1:1' });
  expect(connectionOptions({ ...embedded, address: 'cloud:7233', embedded: false })).toMatchObject({
    address: 'cloud:7233',
    apiKey: 'secret',
  });
});

test('a client of a server that is away fails with words and what to do', async () => {
  await expect(connectClient(embedded, 300)).rejects.toMatchObject({
    type: 'HostFailed',
    message: containing('127.0.0.1:1'),
    fix: containing('up'),
  });
});
