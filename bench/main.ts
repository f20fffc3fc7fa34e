import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `npm run bench -- NAME [ARGUMENTS]`: runs one of the measurements of this folder. */

const BENCHES: Readonly<Record<string, string>> = {
  quick: 'the run of npm start: time to the first scored node and to the end; [RUNS], 3 by default',
  search: 'the product against its best draft and random search, on fresh seeds; [SEEDS [FIRST]], 10 and 0 by default',
  'search-space': 'the search-space proposer alone against the same rivals; [RUNS], 10 by default',
  'long-run': 'cost per node, memory, histories and payloads of one long run on probe; [NODES], 10000 by default',
  'digits-sweep': 'every model family of the task digits on every dataset, time and accuracy',
};

const [name = '', ...rest] = process.argv.slice(2);
if (Object.hasOwn(BENCHES, name)) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...rest], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  console.error(`npm run bench -- NAME, which is one of:`);
  for (const [known, about] of Object.entries(BENCHES)) console.error(`  ${known.padEnd(13)} ${about}`);
  process.exitCode = 2;
}
