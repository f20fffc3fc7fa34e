import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundlePath, sourcesHash, workflowBundle } from '../../../src/workers/workflow-bundle.ts';

test('the bundle is made once per content of the sources, and found from then on', async () => {
  const lines: string[] = [];
  const { codePath } = await workflowBundle();
  expect(codePath).toContain(await sourcesHash());
  expect(await bundlePath()).toEqual({ codePath, isThere: true });
  const before = statSync(codePath).mtimeMs;
  expect(await workflowBundle((line) => lines.push(line))).toEqual({ codePath });
  expect(statSync(codePath).mtimeMs).toBe(before);
  expect(lines).toEqual([]);
  expect(readFileSync(codePath, 'utf8')).toContain('initialImplementation');
});
