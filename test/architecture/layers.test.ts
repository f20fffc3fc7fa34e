import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { ESLint } from 'eslint';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { LAYERS } from '../../scripts/layers.ts';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

/** What is planted: a text in a layer, and the rule of the import graph that it breaks. */
const badImports = [
  {
    layer: 'domain',
    rule: 'domain-without-node',
    text: "import { readFileSync } from 'node:fs'; export const bad = readFileSync;",
  },
  { layer: 'domain', rule: 'domain-without-node', text: "import fs from 'fs'; export const bad = fs;" },
  { layer: 'domain', rule: 'domain-packages', text: "import { parse } from 'yaml'; export const bad = parse;" },
  { layer: 'search', rule: 'search-layers', text: "import { work } from '../workers/work.ts'; export const bad = work;" },
  {
    layer: 'strategies',
    rule: 'strategies-packages',
    text: "import { log } from '@temporalio/workflow'; export const bad = log;",
  },
  {
    layer: 'adapters',
    rule: 'adapters-packages',
    text: "import { Client } from '@temporalio/client'; export const bad = Client;",
  },
  {
    layer: 'workflows',
    rule: 'workflows-types-only',
    text: "import { act } from '../activities/act.ts'; export const bad = act;",
  },
  { layer: 'workflows', rule: 'workflows-without-node', text: "import { cpus } from 'node:os'; export const bad = cpus;" },
  { layer: 'cli', rule: 'cli-layers', text: "import { act } from '../../activities/act.ts'; export const bad = act;" },
];

/** What only the text of a file shows, and ESLint alone can see. */
const badExpressions = [
  ['domain', 'Date.now()'],
  ['search', 'new Date()'],
  ['strategies', 'Math.random()'],
  ['report', "['b', 'a'].sort((left, right) => left.localeCompare(right))"],
  ['report', '(1234.5).toLocaleString()'],
  ['domain', 'process.pid'],
  ['workflows', 'Math.random()'],
  ['workflows', 'setTimeout(() => undefined, 5)'],
  ['workflows', "eval('1')"],
  ['workflows', "new Function('return 1')"],
  ['workflows', "await import('../domain/plain.ts')"],
  ['workflows', "new Date(0).toLocaleDateString('en')"],
] as const;

/** What the rule allows: types of activities and the core in workflows, Node in adapters. */
const good = {
  'src/domain/plain.ts': "export type Plain = 'plain';\nexport const plain: Plain = 'plain';\n",
  'src/workers/work.ts': 'export const work = 1;\n',
  'src/activities/act.ts': "export type Act = 'act';\nexport const act: Act = 'act';\n",
  'src/workflows/good.ts':
    "import type { Act } from '../activities/act.ts';\nimport { plain } from '../domain/plain.ts';\nexport const good = (act: Act): string => act + plain;\n",
  'src/adapters/good.ts':
    "import { sep } from 'node:path';\nimport { plain } from '../domain/plain.ts';\nexport const good = sep + plain;\n",
};

/** Violations of the rules for all of the source. */
const others = {
  'src/domain/one.ts': "import { two } from './two.ts';\nexport const one = (): number => two();\n",
  'src/domain/two.ts': "import { one } from './one.ts';\nexport const two = (): number => one();\n",
  'src/extras/odd.ts': "import { plain } from '../domain/plain.ts';\nexport const odd = plain;\n",
  'src/workers/test.ts': "import { test } from 'vitest';\nexport const bad = test;\n",
};

const importPath = (index: number) => {
  const layer = badImports[index]?.layer ?? '';
  return `src/${layer}/${layer === 'cli' ? 'deep/' : ''}bad-import-${index}.ts`;
};
const expressionPath = (index: number) => `src/${badExpressions[index]?.[0] ?? ''}/bad-expression-${index}.ts`;

const Cruised = z.object({
  summary: z.object({
    totalCruised: z.number().min(1),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

/** What dependency-cruiser finds in `folder`, as `file: rule`, sorted, each once. */
async function cruise(folder: string): Promise<string[]> {
  const program = join(PACKAGE_ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
  const args = [program, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 28 });
  const { violations } = Cruised.parse(JSON.parse(stdout)).summary;
  return [...new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`))].sort();
}

let folder: string;
let cruised: string[];
let linted: ESLint.LintResult[];

/** A project of the given files with our own guards over it, as they would be met in ours. */
function plant(files: Readonly<Record<string, string>>): void {
  for (const name of ['package.json', 'tsconfig.json', 'eslint.config.js', '.dependency-cruiser.mjs', 'scripts/layers.ts']) {
    cpSync(join(PACKAGE_ROOT, name), join(folder, name));
  }
  symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What ESLint says against a planted file, as `rule: message`. */
function lintOf(path: string): string[] {
  const result = linted.find(({ filePath }) => filePath.endsWith(path));
  if (result === undefined) throw new Error(`${path} was not linted`);
  return result.messages.map((message) => `${message.ruleId ?? 'error'}: ${message.message}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scientist-layers-'));
  const imports = badImports.map(({ text }, index) => [importPath(index), `${text}\n`] as const);
  const expressions = badExpressions.map(([, text], index) => [expressionPath(index), `export const bad = ${text};\n`] as const);
  plant({ ...good, ...others, ...Object.fromEntries([...imports, ...expressions]) });
  cruised = await cruise(folder);
  linted = await new ESLint({ cwd: folder }).lintFiles(['src']);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the source keeps the layer rule', () => {
  test('dependency-cruiser finds nothing against it', async () => {
    expect(await cruise(PACKAGE_ROOT)).toEqual([]);
  });

  test('every folder of src is a layer', () => {
    expect(readdirSync(join(PACKAGE_ROOT, 'src')).filter((name) => !(name in LAYERS))).toEqual([]);
  });
});

describe('the guards refuse what is planted', () => {
  test.each(badImports.map((bad, index) => ({ ...bad, path: importPath(index) })))('$rule: $text', ({ path, rule }) => {
    expect(cruised.filter((line) => line.startsWith(path))).toEqual([`${path}: ${rule}`]);
    expect(lintOf(path)).toContainEqual(
      expect.stringMatching(/^@typescript-eslint\/no-restricted-imports: .*scripts\/layers\.ts/),
    );
  });

  test.each(badExpressions.map(([layer, text], index) => ({ layer, text, path: expressionPath(index) })))(
    'in $layer: $text',
    ({ path }) => {
      expect(lintOf(path)).toContainEqual(
        expect.stringMatching(/^(?:no-restricted|no-eval|@typescript-eslint\/no-implied-eval)/),
      );
    },
  );

  test('two files that import each other, a folder that is no layer, a package for development', () => {
    expect(cruised.filter((line) => !line.includes('/bad-'))).toEqual([
      'src/domain/one.ts: no-cycles',
      'src/extras/odd.ts: known-folder',
      'src/workers/test.ts: no-dev-packages',
      'src/workers/test.ts: workers-packages',
    ]);
  });

  test('the workflow bundler refuses a Node module', async () => {
    const workflowsPath = join(folder, 'src', 'workflows', 'node-module.ts');
    writeFileSync(
      workflowsPath,
      "import { cpus } from 'node:os';\nexport async function bad(): Promise<number> { return cpus().length; }\n",
    );
    const said: string[] = [];
    const logger = new DefaultLogger('ERROR', ({ message }) => said.push(message));
    await expect(bundleWorkflowCode({ workflowsPath, logger })).rejects.toThrow(/Webpack/);
    expect(said.join()).toMatch(/node:os/);
  });
});

test('the guards let through what the rule allows', () => {
  expect(cruised.filter((line) => line.includes('good.ts'))).toEqual([]);
  expect(lintOf('src/workflows/good.ts')).toEqual([]);
  expect(lintOf('src/adapters/good.ts')).toEqual([]);
});
