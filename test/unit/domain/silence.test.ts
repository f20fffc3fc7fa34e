import { expect, test } from 'vitest';
import { afterLook, type Silence } from '../../../src/domain/silence.ts';

/** The silence after looks at these times, with these signs. */
function watch(looks: readonly (readonly [now: number, sign: string | null])[]): Silence | undefined {
  let silence: Silence | undefined;
  for (const [now, sign] of looks) silence = afterLook(silence, { sign, now, maxStepMs: 1000 });
  return silence;
}

test('lasts as long as the sign stays the same', () => {
  const same = [0, 500, 1000, 1500].map((now) => [now, 'a'] as const);
  expect(watch(same)).toMatchObject({ silentMs: 1500, heard: false });
});

test('ends with another sign, and only that counts as heard: the first look knows of none before', () => {
  expect(watch([[0, 'a']])).toMatchObject({ silentMs: 0, heard: false });
  expect(
    watch([
      [0, 'a'],
      [500, 'a'],
      [1000, 'b'],
    ]),
  ).toMatchObject({ silentMs: 0, heard: true });
});

test('a watcher that slept counts no more than one step of it', () => {
  expect(
    watch([
      [0, 'a'],
      [3_600_000, 'a'],
    ]),
  ).toMatchObject({ silentMs: 1000 });
});

test('no sign at all is silence, and a sign that came back after it is heard', () => {
  expect(
    watch([
      [0, 'a'],
      [800, null],
      [1600, null],
    ]),
  ).toMatchObject({ silentMs: 1600, heard: false, sign: 'a' });
  expect(
    watch([
      [0, null],
      [800, null],
      [1600, 'a'],
    ]),
  ).toMatchObject({ silentMs: 0, heard: true });
  expect(
    watch([
      [0, 'a'],
      [800, null],
      [1600, 'a'],
    ]),
  ).toMatchObject({ silentMs: 1600, heard: false });
});

test('a clock that goes back makes nobody younger', () => {
  expect(
    watch([
      [1000, 'a'],
      [1500, 'a'],
      [900, 'a'],
    ]),
  ).toMatchObject({ silentMs: 500 });
});
