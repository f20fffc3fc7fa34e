import { mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { homePaths } from '../../../src/adapters/layout.ts';
import { logTail, openLog, openLogFile } from '../../../src/workers/log.ts';
import { logPath } from '../../../src/workers/records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('lines are appended with time and level, and the tail shows the last ones', async () => {
  const home = { root: temporaryFolder() };
  writeSync(openLogFile(home, 'control'), 'from the process\n');
  const log = openLog(home, 'control');
  log.info('one');
  log.warn('two');
  log.error('three');
  expect(readFileSync(logPath(home, 'control'), 'utf8')).toMatch(
    /^from the process\n\S+Z INFO one\n\S+Z WARN two\n\S+Z ERROR three\n$/,
  );
  const tail = await logTail(home, 'control', 2);
  expect(tail).toContain(logPath(home, 'control'));
  expect(tail).toMatch(/two\n.*three$/);
  expect(tail).not.toContain('one');
});

test('a log that nobody wrote has no tail', async () => {
  expect(await logTail({ root: temporaryFolder() }, 'control')).toBe('');
});

test('a log that grew large is put aside when its process starts again', () => {
  const home = { root: temporaryFolder() };
  mkdirSync(homePaths(home).logs, { recursive: true });
  writeFileSync(logPath(home, 'server'), Buffer.alloc(9 * 1024 * 1024));
  openSync(logPath(home, 'server'), 'a');
  openLogFile(home, 'server');
  expect(statSync(logPath(home, 'server')).size).toBe(0);
  expect(statSync(`${logPath(home, 'server')}.1`).size).toBeGreaterThan(9_000_000);
});

test('a log that cannot be written loses its lines and nothing else', () => {
  const log = openLog({ root: '/proc/no-such-home' }, 'control');
  expect(() => {
    log.info('x');
  }).not.toThrow();
});
