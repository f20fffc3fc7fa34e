import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOST_LOCKS } from '../../../src/adapters/host-locks.ts';
import type { Home } from '../../../src/adapters/layout.ts';
import { claimPorts } from '../../../src/adapters/port-claims.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const homeOf = (): Home => ({ root: temporaryFolder() });
const alive = () => Promise.resolve(true);
const dead = () => Promise.resolve(false);

test('a free port that a living home has claimed is left to it, though its server is down', async () => {
  const [one, two] = [homeOf(), homeOf()];
  const first = await claimPorts(one, null, alive);
  expect(JSON.parse(readFileSync(join(HOST_LOCKS, `port-${first.port}.json`), 'utf8'))).toEqual({ root: one.root });
  expect((await claimPorts(two, first, alive)).port).not.toBe(first.port);
  expect(await claimPorts(one, first, alive)).toEqual(first);
});

test('a port of a home that is dead, or cannot be looked into, is free for the next', async () => {
  const [one, two, three] = [homeOf(), homeOf(), homeOf()];
  const first = await claimPorts(one, null, alive);
  expect(await claimPorts(two, first, dead)).toEqual(first);
  expect(await claimPorts(three, first, () => Promise.reject(new Error('no permission')))).toEqual(first);
});

test('several that choose at once choose different ports', async () => {
  const ports = await Promise.all([homeOf(), homeOf(), homeOf()].map((home) => claimPorts(home, null, alive)));
  expect(new Set(ports.map(({ port }) => port)).size).toBe(3);
});
