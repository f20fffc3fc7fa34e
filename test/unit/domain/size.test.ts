import { expect, test } from 'vitest';
import { bytesOf } from '../../../src/domain/size.ts';

test.each([
  ['1KiB', 1024],
  ['16MiB', 16_777_216],
  ['4GiB', 4_294_967_296],
])('%s is %d bytes', (size, bytes) => {
  expect(bytesOf(size)).toBe(bytes);
});

test.each(['', '16', '16MB', '-1MiB', '1.5GiB', '16mib'])('%j is refused', (size) => {
  expect(() => bytesOf(size)).toThrow(RangeError);
});
