import { describe, expect, test } from 'vitest';
import { importProblem } from '../../../src/adapters/module-imports.ts';

describe('a module is one file of its own', () => {
  test.each([
    ["import { readFile } from 'node:fs';", 'node:fs'],
    ['import fs from "fs"', 'fs'],
    ["import './other.ts';", './other.ts'],
    ["import * as all from './a.ts'", './a.ts'],
    ["import {\n  one,\n  two,\n} from './many.ts';", './many.ts'],
    ["import { type A, b } from './mixed.ts';", './mixed.ts'],
    ["export { a } from './a.ts';", './a.ts'],
    ["export * from './b.ts';", './b.ts'],
    ["const fs = require('fs');", 'fs'],
    ["const late = () => import('./late.ts');", './late.ts'],
    ['const late = () => import(name);', 'import(name)'],
    ['const here = import.meta.url;', 'import.meta.url'],
  ])('%s is refused by name', (text, named) => {
    expect(importProblem(`// a strategy\n${text}\nexport const a = 1;\n`)).toContain(`imports ${named}`);
  });

  test.each([
    "import type { PlanInput } from './strategy.ts';",
    "import type {\n  A,\n  B,\n} from './types.ts';",
    "export type { A } from './types.ts';",
    "// import { readFile } from 'node:fs';",
    "/* import './other.ts'; */",
    'const text = "import x from \'y\'";',
    "const text = `require('fs')`;",
    "const url = 'https://example.org/'; // import('a')",
    'const options = { import: 1, require: 2 };\nconst important = options.import;',
    'const from = 1;\nexport { from };\nexport const imports = 2;',
  ])('%s is none', (text) => {
    expect(importProblem(`${text}\nexport const a = 1;\n`)).toBeNull();
  });
});
