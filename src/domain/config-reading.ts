import { RunConfig } from './config.ts';
import { LEGACY_KEYS, SHARED_KEYS } from './config-legacy.ts';
import { brokenRules } from './config-rules.ts';
import { configKeys, dottedKeys, type ConfigKey } from './config-schema.ts';
import { configWarnings } from './config-warnings.ts';
import { problemsOf, unknownKey, type Problem } from './schema-problems.ts';

/**
 * From what a config file says to a configuration: keys of AI-Scientist-v2 without effect are set aside,
 * unknown ones are refused, the rest is parsed, and combinations are checked. Every problem is found in
 * one go, so that a person does not correct a file line by line.
 */

/** A configuration, or everything that is wrong with it. */
export type ConfigReading =
  | {
      readonly status: 'read';
      readonly config: RunConfig;
      /** Keys that were accepted without effect, dotted, in the order of the file. */
      readonly ignoredKeys: readonly string[];
      readonly warnings: readonly string[];
      /** Whether the file is one of AI-Scientist-v2: it has keys that only that system knows, and no task. */
      readonly fromAiScientist: boolean;
    }
  | { readonly status: 'refused'; readonly problems: readonly Problem[] };

type Section = Readonly<Record<string, unknown>>;

/** Deepest nesting that is read; a file that needs more is a mistake or an attack (an anchor that holds itself). */
const DEEPEST = 40;

/** Reads a parsed YAML or JSON value. Never throws. */
export function readConfig(raw: unknown): ConfigReading {
  const shape = shapeProblem(raw);
  if (!isSection(raw) || shape !== null) return { status: 'refused', problems: [shape ?? noSection()] };
  const sifted = new Sifter();
  const kept = sifted.sift(raw, configKeys(), []);
  const parsed = RunConfig.safeParse(kept);
  const wrong = [...sifted.problems, ...problemsOf(parsed.error?.issues ?? [], kept)];
  const broken = parsed.success ? brokenRules(parsed.data) : brokenBeside(kept, wrong);
  if (!parsed.success || wrong.length + broken.length > 0) return { status: 'refused', problems: [...wrong, ...broken] };
  const fromAiScientist = !sifted.written.has('task') && sifted.ignored.some((key) => LEGACY_KEYS.has(key));
  const noTask = fromAiScientist
    ? ['The file is one of AI-Scientist-v2 and names no task: digits is researched (task: digits).']
    : [];
  const warnings = [...noTask, ...configWarnings(parsed.data, sifted.written)];
  return { status: 'read', config: parsed.data, ignoredKeys: sifted.ignored, warnings, fromAiScientist };
}

/** Splits what is written into what is kept, what is ignored and what is unknown. */
class Sifter {
  readonly ignored: string[] = [];
  readonly written = new Set<string>();
  readonly problems: Problem[] = [];
  readonly #known = dottedKeys(configKeys());

  sift(section: Section, keys: ReadonlyMap<string, ConfigKey>, above: readonly string[]): Section {
    const kept = Object.entries(section).flatMap(([name, value]) => {
      const key = keys.get(name);
      const path = [...above, name];
      if (key !== undefined) return this.#keep(key, path, value).map((rest) => [name, rest] as const);
      this.problems.push(unknownKey(path, this.#known));
      return [];
    });
    return Object.fromEntries(kept);
  }

  /** What is kept of a known key: its value, or nothing. */
  #keep(key: ConfigKey, path: readonly string[], value: unknown): unknown[] {
    const dotted = path.join('.');
    if (key.keys !== null && isSection(value)) {
      const rest = this.sift(value, key.keys, path);
      return key.legacy ? [] : [rest];
    }
    // An empty section is how YAML reads one whose keys are all commented out.
    if (key.keys !== null && !key.legacy) return value === null ? [] : [value];
    if (key.legacy || (value === null && SHARED_KEYS.has(dotted))) {
      if (key.usual !== null) this.ignored.push(dotted);
      return [];
    }
    this.written.add(dotted);
    return [value];
  }
}

/** The broken combinations of a config with wrong values, which are left out together with the rules on them. */
function brokenBeside(kept: Section, wrong: readonly Problem[]): Problem[] {
  const repaired = RunConfig.safeParse(
    wrong.reduce<Section>((section, problem) => omit(section, problem.path.map(String)), kept),
  );
  const blamed = new Set(wrong.map((problem) => problem.path.join('.')));
  return repaired.success ? brokenRules(repaired.data).filter((problem) => !blamed.has(problem.path.join('.'))) : [];
}

function omit(section: Section, [name, ...rest]: readonly string[]): Section {
  if (name === undefined) return section;
  const inner = section[name];
  const entries = Object.entries(section).filter(([key]) => key !== name);
  return Object.fromEntries(rest.length > 0 && isSection(inner) ? [...entries, [name, omit(inner, rest)]] : entries);
}

function shapeProblem(raw: unknown): Problem | null {
  if (raw === null || raw === undefined)
    return { path: [], at: 'value', what: 'the file is empty', fix: 'write at least: task: digits' };
  if (!isSection(raw)) return noSection();
  return isDeeper(raw, DEEPEST)
    ? { path: [], at: 'value', what: `values are nested more than ${DEEPEST} deep`, fix: 'flatten them' }
    : null;
}

function noSection(): Problem {
  return { path: [], at: 'value', what: 'expected keys with values, such as task: digits', fix: 'see config/full.yaml' };
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}
