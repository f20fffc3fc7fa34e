import { z } from 'zod';
import { RunConfig } from './config.ts';
import { LEGACY_KEYS } from './config-legacy.ts';

/**
 * The JSON Schema of a config file, for editors and for the reader of the file itself: which keys there
 * are, what they mean, and their defaults. Made from the zod schema; `config/schema.json` is its copy.
 */

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A key of the config file. */
export interface ConfigKey {
  /** One line for people; empty for a section. */
  readonly about: string;
  /** The default as a person would write it; `undefined` for a section or a key without effect. */
  readonly usual: unknown;
  /** Whether it is a key of AI-Scientist-v2 that has no effect here. */
  readonly legacy: boolean;
  /** The keys of a section; `null` for a key with a value. */
  readonly keys: ReadonlyMap<string, ConfigKey> | null;
}

/** The JSON Schema (draft 2020-12) of a config file, with the keys of AI-Scientist-v2 marked as deprecated. */
export function configJsonSchema(): JsonSchema {
  const own = z.toJSONSchema(RunConfig, { io: 'input' });
  let schema: JsonSchema = { ...own, title: 'durable-scientist run configuration' };
  for (const [key, why] of LEGACY_KEYS) schema = withLegacyKey(schema, key.split('.'), why);
  return schema;
}

let keys: ReadonlyMap<string, ConfigKey> | undefined;

/** All keys of a config file as a tree; own keys come before those without effect. Made once, as it takes some 20 ms. */
export function configKeys(): ReadonlyMap<string, ConfigKey> {
  keys ??= keysOf(configJsonSchema());
  return keys;
}

/** The dotted paths of all keys of a tree and of its sections, in its order. */
export function dottedKeys(tree: ReadonlyMap<string, ConfigKey>, above = ''): string[] {
  return [...tree].flatMap(([name, key]) => [`${above}${name}`, ...dottedKeys(key.keys ?? new Map(), `${above}${name}.`)]);
}

function keysOf(schema: JsonSchema): Map<string, ConfigKey> {
  const entries = Object.entries(schema.properties ?? {}).map(([name, value]) => [name, keyOf(value)] as const);
  return new Map([...entries.filter(([, key]) => !key.legacy), ...entries.filter(([, key]) => key.legacy)]);
}

function keyOf(schema: JsonSchema | boolean): ConfigKey {
  if (typeof schema === 'boolean') return { about: '', usual: undefined, legacy: false, keys: null };
  const inner = schema.properties === undefined ? null : keysOf(schema);
  return {
    about: schema.description ?? '',
    usual: inner === null ? schema.default : undefined,
    legacy: schema.deprecated === true,
    keys: inner,
  };
}

function withLegacyKey(schema: JsonSchema, path: readonly string[], why: string): JsonSchema {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  const known = schema.properties?.[name];
  const above: JsonSchema =
    typeof known === 'object' ? known : { type: ['object', 'null'], deprecated: true, additionalProperties: false };
  const value: JsonSchema =
    rest.length === 0
      ? { deprecated: true, description: `a key of AI-Scientist-v2 without effect: ${why}` }
      : withLegacyKey(above, rest, why);
  return { ...schema, properties: { ...schema.properties, [name]: value } };
}
