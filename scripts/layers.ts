/**
 * The layer rule: which folder of `src/` may import what. ESLint, dependency-cruiser and the layer test all
 * read this table, so there is one place to change it.
 */
export interface Layer {
  /** Other folders of `src/` that it may import; its own is always allowed. */
  readonly layers: readonly string[];
  /** Folders of which it may import types, never values. */
  readonly typesOf?: readonly string[];
  /** npm packages that it may import; `@temporalio/*` stands for all of that scope. */
  readonly packages: readonly string[];
  /** Whether it may import Node's own modules, always written `node:`. */
  readonly node: boolean;
}

/** Layers without I/O, clock and random numbers: every decision of the search lives there. */
export const CORE: readonly string[] = ['domain', 'search', 'strategies', 'report'];

/** The table itself, by folder of `src/`. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  domain: { layers: [], packages: ['zod'], node: false },
  search: { layers: ['domain'], packages: ['zod'], node: false },
  strategies: { layers: ['domain'], packages: ['zod'], node: false },
  report: { layers: ['domain'], packages: ['zod'], node: false },
  workflows: {
    layers: CORE,
    typesOf: ['activities'],
    packages: ['zod', '@temporalio/workflow', '@temporalio/common'],
    node: false,
  },
  adapters: { layers: ['domain', 'search', 'proposers'], packages: ['zod', 'yaml'], node: true },
  proposers: { layers: ['domain', 'search', 'adapters'], packages: ['zod', 'yaml'], node: true },
  activities: {
    layers: ['domain', 'search', 'report', 'adapters', 'proposers'],
    packages: ['zod', '@temporalio/activity'],
    node: true,
  },
  workers: { layers: [...CORE, 'adapters', 'proposers', 'activities'], packages: ['zod', '@temporalio/*'], node: true },
  cli: {
    layers: ['domain', 'strategies', 'report', 'adapters', 'workers'],
    packages: ['zod', 'commander', '@temporalio/client'],
    node: true,
  },
};

/** The folders of `src/` that the layer `name` may not import values from, in the order of the table. */
export function forbiddenLayers(name: string): string[] {
  const allowed = new Set([name, ...(LAYERS[name]?.layers ?? [])]);
  return Object.keys(LAYERS).filter((other) => !allowed.has(other));
}

/** The source of a regular expression that matches the packages of a layer from the start of their names. */
export function packagePattern({ packages }: Layer): string {
  const names = packages.map((name) => name.replace(/\*$/, '[^/]+'));
  return `(?:${names.join('|')})(?:/|$)`;
}
