import type { RunConfig } from './config.ts';
import type { Problem } from './schema-problems.ts';

/**
 * What no single key is to blame for: combinations of values that cannot work, refused before the first
 * evaluation (P6). Combinations that work but leave a key without effect are in config-warnings.ts.
 */

/** Shortest heartbeat time-out, ms: beats are sent on every 2 s, so a shorter one gives up on healthy workers. */
const SHORTEST_HEARTBEAT_MS = 3000;

interface Rule {
  readonly key: string;
  readonly broken: (config: RunConfig) => boolean;
  readonly what: string;
  readonly fix: string;
}

const RULES: readonly Rule[] = [
  {
    key: 'schedule',
    broken: (config) => config.deterministic && config.schedule === 'async',
    what: 'async depends on timing, which deterministic: true rules out',
    fix: 'write schedule: barrier, or deterministic: false',
  },
  {
    key: 'proposer.script',
    broken: ({ proposer }) => proposer.kind === 'scripted' && proposer.script === null,
    what: 'proposer.kind: scripted needs a script to read its proposals from',
    fix: 'name its file, or write proposer.kind: search_space',
  },
  {
    key: 'exec.heartbeat_timeout',
    broken: ({ exec }) => exec.heartbeat_timeout < SHORTEST_HEARTBEAT_MS,
    what: 'below 3s healthy workers would be given up, as they are heard of every 2s',
    fix: 'write at least 3s; 60s outlasts a restart of the server',
  },
];

/** The combinations in a config that cannot work. */
export function brokenRules(config: RunConfig): Problem[] {
  return RULES.filter((rule) => rule.broken(config)).map(({ key, what, fix }) => ({
    path: key.split('.'),
    at: 'value',
    what,
    fix,
  }));
}
