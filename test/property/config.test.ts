import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/adapters/config-file.ts';
import type { ConfigSets } from '../../src/adapters/config-sets.ts';
import { readConfig } from '../../src/domain/config-reading.ts';
import { configKeys, dottedKeys } from '../../src/domain/config-schema.ts';
import { ResolvedConfig } from '../../src/domain/config.ts';
import { Duration, durationText, parseDuration } from '../../src/domain/duration.ts';
import { PlatformFailure } from '../../src/domain/failure.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEYS = dottedKeys(configKeys());

/** Values that a person might write: some that fit somewhere, and anything else. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    1,
    2,
    -1,
    0.5,
    true,
    false,
    'async',
    'barrier',
    'scripted',
    'sequential',
    'node',
    '90s',
    '4GiB',
    'digits',
    'cpu:2',
    'x.yaml',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** An object with a few known keys, some of them misspelt, set to such values. */
const config = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), value, fc.option(fc.string({ minLength: 1, maxLength: 3 }), { freq: 6 })), {
    maxLength: 8,
  })
  .map((entries) =>
    entries.reduce<Record<string, unknown>>(
      (whole, [key, inner, slip]) => withValue(whole, `${key}${slip ?? ''}`.split('.'), inner),
      {},
    ),
  );

function withValue(
  section: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  leaf: unknown,
): Record<string, unknown> {
  const inner = section[name];
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
  return { ...section, [name]: rest.length === 0 ? leaf : withValue(below, rest, leaf) };
}

/** Whether a config file of this text is read; anything but a clear refusal is an error. */
async function isRead(text: string, sets: ConfigSets = {}): Promise<boolean> {
  const path = join(temporaryFolder(), 'any.yaml');
  writeFileSync(path, text);
  try {
    await loadConfig(path, sets);
    return true;
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.type !== 'ConfigInvalid') throw error;
    expect(error.fix).not.toBe('');
    for (const line of error.message.split('\n'))
      expect(line).toMatch(/^(.*any\.yaml:\d+:\d+ |.*any\.yaml: |--set |and \d+ more)/);
    return false;
  }
}

describe('a config file', () => {
  it('of any JSON value is read or refused clearly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (any) => {
        await isRead(JSON.stringify(any));
      }),
      { numRuns: 100 },
    );
  });

  it('of nearly right keys and values is read or refused clearly, and both happen', async () => {
    let read = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(config, async (any) => {
        if (await isRead(JSON.stringify(any))) read++;
        else refused++;
      }),
      { numRuns: 200 },
    );
    expect(Math.min(read, refused)).toBeGreaterThan(10);
  });

  it('of any text is read or refused clearly', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'task',
        ': ',
        '\n',
        '  ',
        '- ',
        '&a ',
        '*a',
        '!!x ',
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        '|',
        '>',
        '#',
        '\t',
        '? ',
        '<<',
        '---\n',
        '%YAML 1.1\n',
      ),
      fc.string({ maxLength: 4, unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        await isRead(pieces.join(''));
      }),
      { numRuns: 300, examples: [[['? ', '\n', '? ', '\n', '#']]] },
    );
  });

  it('with any changes is read or refused clearly', async () => {
    const sets = fc.dictionary(
      fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 8 })),
      fc.oneof(fc.string({ maxLength: 12 }), fc.double(), fc.boolean()),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(sets, async (any) => {
        await isRead('task: digits\nagent: {num_workers: 2}\n', any);
      }),
      { numRuns: 150 },
    );
  });
});

describe('readConfig', () => {
  it('gives a config that is read back unchanged from where a run keeps it (C2)', () => {
    fc.assert(
      fc.property(config, (any) => {
        const reading = readConfig(any);
        if (reading.status === 'refused') return;
        expect(ResolvedConfig.parse(JSON.parse(JSON.stringify(reading.config)))).toEqual(reading.config);
      }),
      { numRuns: 300 },
    );
  });

  it('has a place and a reason for each refusal', () => {
    fc.assert(
      fc.property(fc.oneof(config, fc.anything()), (any) => {
        const reading = readConfig(any);
        if (reading.status === 'read') return;
        expect(reading.problems.length).toBeGreaterThan(0);
        for (const { what } of reading.problems) expect(what).not.toMatch(/undefined|\[object/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('durations', () => {
  const ms = fc.integer({ min: 1, max: 366 * 86_400_000 });

  it('come back from every way to write them', () => {
    fc.assert(
      fc.property(ms, (any) => {
        const parts: [number, string][] = [
          [Math.floor(any / 3_600_000), 'h'],
          [Math.floor(any / 60_000) % 60, 'm'],
          [Math.floor(any / 1000) % 60, 's'],
          [any % 1000, 'ms'],
        ];
        const words = parts.map(([count, unit]) => `${count}${unit}`);
        expect([`${any}ms`, words.join(' '), words.join(''), `${any / 1000}s`, String(any / 1000)].map(parseDuration)).toEqual(
          Array(5).fill(any),
        );
        expect(Duration.parse(any / 1000)).toBe(any);
      }),
    );
  });

  it('in words can be read again, as exactly as they are shown and never longer', () => {
    fc.assert(
      fc.property(ms, (any) => {
        const again = parseDuration(durationText(any));
        expect(again).not.toBeNull();
        expect(any - (again ?? 0)).toBeGreaterThanOrEqual(0);
        expect(any - (again ?? 0)).toBeLessThan(any < 60_000 ? 100 : any < 3_600_000 ? 1000 : 60_000);
      }),
    );
  });

  it('of any text are read or not, without an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseDuration(text);
      }),
    );
  });
});
