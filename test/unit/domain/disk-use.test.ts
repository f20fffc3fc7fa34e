import { expect, test } from 'vitest';
import { bytesText, diskUseText } from '../../../src/domain/disk-use.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [10 * 1024, '10 KiB'],
  [1024 * 1024 - 1, '1023 KiB'],
  [3.5 * 2 ** 20, '3.5 MiB'],
  [2 ** 40, '1.0 TiB'],
  [5000 * 2 ** 40, '5000 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test('the use of the disk is told largest part first, without parts of nothing, and says when it is not all', () => {
  const parts = { attempts: 1024, checkpoints: 0, artifacts: 2048, journal: 0, reruns: 0, other: 512 };
  expect(diskUseText({ bytes: 3584, parts, complete: true })).toBe(
    '3.5 KiB: artifacts 2.0 KiB, attempts 1.0 KiB, other 512 bytes',
  );
  expect(diskUseText({ bytes: 3584, parts, complete: false })).toMatch(/^more than 3\.5 KiB/);
});
