import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LEGACY_KEYS, SHARED_KEYS } from '../../../src/domain/config-legacy.ts';
import { configJsonSchema, configKeys, dottedKeys, type ConfigKey } from '../../../src/domain/config-schema.ts';

const text = (name: string): string => readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8');

/** The dotted keys that a YAML file has, with their values; sections left out. */
function writtenIn(value: unknown, keys: ReadonlyMap<string, ConfigKey>, above = ''): Map<string, unknown> {
  const entries = Object.entries(value ?? {}).flatMap(([name, inner]) => {
    const nested = keys.get(name)?.keys;
    return nested ? [...writtenIn(inner, nested, `${above}${name}.`)] : [[`${above}${name}`, inner] as const];
  });
  return new Map(entries);
}

/** Every key with a value of the schema's own, dotted. */
function ownKeys(keys: ReadonlyMap<string, ConfigKey>, above = ''): Map<string, ConfigKey> {
  const entries = [...keys].flatMap(([name, key]) => {
    if (key.legacy) return [];
    return key.keys === null ? [[`${above}${name}`, key] as const] : [...ownKeys(key.keys, `${above}${name}.`)];
  });
  return new Map(entries);
}

describe('config/schema.json', () => {
  it('is what npm run schema writes', () => {
    expect(JSON.parse(text('schema.json'))).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });
});

describe('configJsonSchema', () => {
  it('says for every key what it is for, in one line', () => {
    for (const [name, key] of ownKeys(configKeys())) expect(key.about, name).toMatch(/^\S[^\n]{5,120}$/);
  });

  it('has every key of AI-Scientist-v2, those without effect as deprecated', () => {
    const known = new Set(dottedKeys(configKeys()));
    for (const key of [...LEGACY_KEYS.keys(), ...SHARED_KEYS]) expect(known).toContain(key);
    for (const key of LEGACY_KEYS.keys()) expect([...ownKeys(configKeys()).keys()]).not.toContain(key);
    for (const key of SHARED_KEYS) expect([...ownKeys(configKeys()).keys()]).toContain(key);
  });

  it('allows no key that it does not have', () => {
    expect(configJsonSchema()).toMatchObject({
      additionalProperties: false,
      properties: { agent: { additionalProperties: false } },
    });
  });
});

describe('config/full.yaml', () => {
  const written = writtenIn(parse(text('full.yaml')), configKeys());

  it('has every key and no other', () => {
    expect([...written.keys()].sort()).toEqual([...ownKeys(configKeys()).keys()].sort());
  });

  it('shows the default of each', () => {
    for (const [name, key] of ownKeys(configKeys())) expect(written.get(name), name).toEqual(key.usual);
  });

  it('explains each key on its own line', () => {
    const bare = text('full.yaml')
      .split('\n')
      .filter((line) => /^\s*\w+: \S/.test(line) && !/ # \S/.test(line));
    expect(bare).toEqual([]);
  });
});

describe('the shipped configs', () => {
  it.each(['quick.yaml', 'full.yaml'])('%s names its schema for editors', (name) => {
    expect(text(name).split('\n')[0]).toBe('# yaml-language-server: $schema=./schema.json');
  });
});
