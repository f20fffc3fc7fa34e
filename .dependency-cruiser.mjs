import { LAYERS, forbiddenLayers, packagePattern } from './scripts/layers.ts';

/** The layer rule of one folder, from the table in scripts/layers.ts. */
function layerRules([name, layer]) {
  const from = { path: `^src/${name}/` };
  const typesOf = layer.typesOf ?? [];
  const values = forbiddenLayers(name).filter((other) => !typesOf.includes(other));
  const rules = [
    { name: `${name}-layers`, from, to: { path: `^src/(?:${values.join('|')})/` } },
    { name: `${name}-packages`, from, to: { path: 'node_modules/', pathNot: `node_modules/${packagePattern(layer)}` } },
  ];
  if (!layer.node) rules.push({ name: `${name}-without-node`, from, to: { dependencyTypes: ['core'] } });
  if (typesOf.length > 0) {
    const to = { path: `^src/(?:${typesOf.join('|')})/`, dependencyTypesNot: ['type-only'] };
    rules.push({ name: `${name}-types-only`, from, to });
  }
  return rules;
}

const everywhere = [
  { name: 'no-cycles', from: {}, to: { circular: true } },
  { name: 'resolvable', from: {}, to: { couldNotResolve: true } },
  { name: 'known-folder', from: { path: '^src/', pathNot: `^src/(?:${Object.keys(LAYERS).join('|')})/` }, to: {} },
  { name: 'only-src', from: { path: '^src/' }, to: { path: '^(?:test|bench|scripts|bin|experiments)/' } },
  { name: 'no-dev-packages', from: { path: '^src/' }, to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] } },
  { name: 'listed-packages', from: { path: '^src/' }, to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] } },
];

export default {
  forbidden: [...everywhere, ...Object.entries(LAYERS).flatMap(layerRules)].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
