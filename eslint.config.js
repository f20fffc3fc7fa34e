import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { CORE, LAYERS, forbiddenLayers, packagePattern } from './scripts/layers.ts';

const noDefaultExport = { selector: 'ExportDefaultDeclaration', message: 'export by name, so that it has one name everywhere' };
const noDynamicImport = { selector: 'ImportExpression', message: 'the workflow bundle holds all its code: import at the top' };
const noClock = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'the core has no clock: time comes in as data',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'the core has no clock: time comes in as data' },
];
const noLocale = {
  selector: 'CallExpression[callee.property.name=/^(?:toLocale|localeCompare$)/]',
  message: 'its result depends on the machine: compare with < and format by hand',
};
const noRandom = {
  selector: "MemberExpression[object.name='Math'][property.name='random']",
  message: 'draw from a named stream of domain/random.ts',
};
const noMachineGlobals = [
  'process',
  'performance',
  'crypto',
  'fetch',
  'Buffer',
  'Intl',
  'setTimeout',
  'setInterval',
  'setImmediate',
].map((name) => ({
  name,
  message: 'the core and the workflows depend on nothing but their arguments',
}));

/** The layer rule of one folder as import patterns; `node:` counts as a package that only some layers may use. */
function layerRule([name, layer]) {
  const relative = (folders) => `^(?:\\.\\./)+(?:${folders.join('|')})/`;
  const typesOf = layer.typesOf ?? [];
  const values = forbiddenLayers(name).filter((other) => !typesOf.includes(other));
  const allowed = [packagePattern(layer), ...(layer.node ? ['node:'] : [])];
  const patterns = [
    { regex: relative(values), message: `${name} may not import this layer (scripts/layers.ts)` },
    { regex: `^(?!\\.)(?!${allowed.join('|')})`, message: `${name} may not import this package (scripts/layers.ts)` },
  ];
  if (typesOf.length > 0) {
    const message = `${name} may import types only from here (scripts/layers.ts)`;
    patterns.push({ regex: relative(typesOf), message, allowTypeImports: true });
  }
  return { files: [`src/${name}/**/*.ts`], rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } };
}

const typeChecked = {
  files: ['**/*.ts'],
  extends: [tseslint.configs.strictTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
    '@typescript-eslint/max-params': ['error', { max: 5 }],
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidOperator: true }],
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
    'no-restricted-syntax': ['error', noDefaultExport],
  },
};

const plainScripts = {
  files: ['**/*.{js,mjs,cjs}'],
  languageOptions: {
    globals: {
      process: 'readonly',
      console: 'readonly',
      performance: 'readonly',
      setTimeout: 'readonly',
      Buffer: 'readonly',
      URL: 'readonly',
    },
  },
};

export default defineConfig(
  globalIgnores(['node_modules/', '.scientist/', 'runs/', 'dist/', '**/__pycache__/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  { rules: { eqeqeq: 'error', 'no-console': 'error', 'no-restricted-imports': 'off' } },
  typeChecked,
  plainScripts,
  ...Object.entries(LAYERS).map(layerRule),
  {
    files: [`src/{${CORE.join(',')}}/**/*.ts`],
    rules: {
      'no-restricted-globals': ['error', ...noMachineGlobals],
      'no-restricted-syntax': ['error', noDefaultExport, noDynamicImport, noLocale, noRandom, ...noClock],
    },
  },
  {
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-eval': 'error',
      'no-restricted-globals': ['error', ...noMachineGlobals],
      'no-restricted-syntax': ['error', noDynamicImport, noLocale, noRandom],
    },
  },
  { files: ['src/cli/**', 'scripts/**', 'bin/**', 'bench/**'], rules: { 'no-console': 'off' } },
  // Matchers such as expect.any() are typed `any`, and only ever stand in an expectation.
  { files: ['test/**'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
  { files: ['*.config.ts', 'src/workflows/index.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
