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
      // Each file starts servers, workers and Python, and mostly waits for them: two at a time, no more.
      { extends: true, test: { name: 'server', include: files(withServer), maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
