import { defineConfig } from 'vitest/config';
import { CountReporter } from './test/support/reporter.ts';

const quick = ['unit', 'property', 'conformance', 'architecture'];
const withServer = ['workflow', 'replay', 'e2e', 'chaos'];
const files = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    pool: 'forks',
    reporters: ['default', new CountReporter()],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'quick', include: files(quick), maxWorkers: 2 } },
      // Each file starts servers, workers and Python: one file at a time keeps them from starving each other.
      { extends: true, test: { name: 'server', include: files(withServer), maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
