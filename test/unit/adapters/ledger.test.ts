import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '../../../src/adapters/layout.ts';
import { appendLedger, readLedger, readLedgers } from '../../../src/adapters/ledger.ts';
import { LedgerLine } from '../../../src/domain/ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const line = (device: string, at: number): LedgerLine =>
  LedgerLine.parse({ v: 1, event: 'started', device, run: 'r', evaluation: '0'.repeat(32), attempt: '1.1', at });

test('each device has its own, in the order in which it was written', async () => {
  const home = { root: temporaryFolder() };
  const written = [line('cpu0', 5), line('cpu1', 2), line('cpu0', 1)];
  for (const one of written) await appendLedger(home, one);
  expect((await readLedger(home, 'cpu0')).lines).toEqual([written[0], written[2]]);
  expect((await readLedgers(home)).lines).toEqual([written[0], written[2], written[1]]);
});

test('is empty before there is one', async () => {
  const home = { root: temporaryFolder() };
  expect(await readLedger(home, 'cpu0')).toEqual({ lines: [], unreadable: 0 });
  expect(await readLedgers(home)).toEqual({ lines: [], unreadable: 0 });
});

test('a line that was cut off is counted, and does not swallow the next one', async () => {
  const home = { root: temporaryFolder() };
  await appendLedger(home, line('cpu0', 1));
  const file = join(homePaths(home).ledgers, 'cpu0.jsonl');
  appendFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
  await appendLedger(home, line('cpu0', 2));
  const { lines, unreadable } = await readLedger(home, 'cpu0');
  expect(lines.map(({ at }) => at)).toEqual([1, 2]);
  expect(unreadable).toBe(1);
});
