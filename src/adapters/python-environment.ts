import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import { hasCode, orNull } from './atomic-file.ts';

/** The Python that runs experiments, as far as it can change their results. */
export interface PythonEnvironment {
  /** Path of the interpreter, as it was given. */
  readonly python: string;
  readonly pythonVersion: string;
  /** Hash over names and versions of the installed packages; 32 hexadecimal digits. */
  readonly packages: string;
}

/** Cold interpreters on a busy machine take seconds; a hung one must not hold a run up for ever. */
const PATIENCE_MS = 60_000;
/** The oldest Python for which the pinned packages are built. */
const OLDEST = [3, 11];
const SETUP = 'Run npm run setup, or set SCIENTIST_PYTHON to a Python 3.11 or newer.';

/** Isolated, so that the user's PYTHON variables decide nothing; `site` stays, as it finds the venv. */
const PROBE = `
import json, platform, sys, sysconfig
folders = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
print(json.dumps({"version": platform.python_version(), "implementation": sys.implementation.name, "folders": folders}))
`;
const Answer = z.object({ version: z.string(), implementation: z.string(), folders: z.array(z.string()) });

/**
 * Asks an interpreter for its version and lists the packages installed for it, without starting pip.
 *
 * @throws PlatformFailure `HostFailed` when it is missing, too old, or does not answer
 */
export async function pythonEnvironment(python: string): Promise<PythonEnvironment> {
  const { version, implementation, folders } = answerOf(await ask(python), python);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST;
  if (major < oldMajor || (major === oldMajor && minor < oldMinor)) {
    throw new PlatformFailure(
      'HostFailed',
      `The Python at ${python} is ${version}; experiments need ${OLDEST.join('.')} or newer.`,
      SETUP,
    );
  }
  return { python, pythonVersion: version, packages: await packagesHash(implementation, folders) };
}

function ask(python: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(python, ['-I', '-c', PROBE], { timeout: PATIENCE_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(notRunning(python, error, stderr));
    });
  });
}

function notRunning(python: string, error: Error & { killed?: boolean }, stderr: string): PlatformFailure {
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  const why = hasCode(error, 'ENOENT')
    ? 'there is no such file'
    : hasCode(error, 'EACCES')
      ? 'it may not be executed'
      : error.killed === true
        ? `no answer within ${PATIENCE_MS / 1000} s`
        : lastLine.slice(0, 300) || error.message;
  return new PlatformFailure('HostFailed', `The Python at ${python} cannot be started: ${why}.`, SETUP, { cause: error });
}

function answerOf(text: string, python: string): z.infer<typeof Answer> {
  const parsed = z
    .string()
    .transform((line, context) => jsonOf(line, context))
    .pipe(Answer)
    .safeParse(text);
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('HostFailed', `The program at ${python} does not answer as a Python would.`, SETUP, {
    cause: parsed.error,
  });
}

function jsonOf(text: string, context: z.core.$RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
}

/** Every installed package has a folder `<name>-<version>.dist-info`; their names say all that pip freeze would. */
async function packagesHash(implementation: string, folders: readonly string[]): Promise<string> {
  const names = (await Promise.all(folders.map(async (folder) => (await orNull(readdir(folder))) ?? []))).flat();
  const installed = [...new Set(names.filter((name) => /\.(dist-info|egg-info|egg-link)$/.test(name)))].sort();
  return createHash('sha256')
    .update(JSON.stringify([implementation, installed]))
    .digest('hex')
    .slice(0, 32);
}
