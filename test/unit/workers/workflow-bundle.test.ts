import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { bundlePath, sourcesHash, workflowBundle, workflowModules } from '../../../src/workers/workflow-bundle.ts';

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

test('a bundle that another version of the SDK made is never loaded: its name is another', async () => {
  const [installed, older] = await Promise.all([sourcesHash(), sourcesHash('1.23.0')]);
  expect(older).not.toBe(installed);
  expect((await bundlePath()).codePath).toContain(installed);
});

test('the bundle leaves out no module, holds none of Node’s, and only bundleWorkflowCode makes one', async () => {
  const warnings: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message }) => warnings.push(message));
  const { code } = await bundleWorkflowCode({ ...workflowModules(), logger });
  expect(warnings).toEqual([]);
  expect([...new Set(code.match(/external "node:[^"]+"|require\("node:[^"]+"\)/g))]).toEqual([]);
  const makers = readdirSync(join(PACKAGE_ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    const text = name.endsWith('.ts') ? readFileSync(join(PACKAGE_ROOT, 'src', name), 'utf8') : '';
    return /bundleWorkflowCode\(|ignoreModules|webpack|esbuild/.test(text);
  });
  expect(makers).toEqual([join('workers', 'workflow-bundle.ts')]);
  expect(readFileSync(join(PACKAGE_ROOT, 'src', makers[0] ?? ''), 'utf8')).not.toContain('ignoreModules');
});
