import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

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

/** Chromium as a test wants it: without a window, and without asking for anything but what a page asks for. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox does not start for root, which is who tests run as in a container.
  const sandbox = ['--no-sandbox', '--disable-gpu'];
  const quiet = [
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath, headless: true, args: [...sandbox, ...quiet] });
}
