import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, removed with all in it when the test is over; call it inside the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scientist-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
