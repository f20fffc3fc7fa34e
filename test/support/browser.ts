import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What a test says that skips itself for want of a browser. */
export const NO_BROWSER = `none of ${NAMES.join(', ')} is in PATH: install one to run this test`;

/** The first browser in PATH, `null` when there is none. */
export async function findBrowser(path: string = process.env['PATH'] ?? ''): Promise<string | null> {
  for (const name of NAMES) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name);
      const isThere = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder !== '' && isThere) return file;
    }
  }
  return null;
}
