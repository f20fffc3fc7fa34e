import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from '../src/domain/config-schema.ts';

/** Writes `config/schema.json`, for editors; a test fails when it is not what this script would write. */
const file = new URL('../config/schema.json', import.meta.url);
await writeFile(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
