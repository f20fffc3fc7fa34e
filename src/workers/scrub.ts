/**
 * Which variables a process may inherit. Programs of the same user can read a process's environment, so
 * keys are given only to the worker that calls models.
 */

const LOOKS_LIKE_A_KEY = /KEY|TOKEN|SECRET|PASSW|PWD$|PASSPHRASE|CREDENTIAL|AUTH|PRIVATE|COOKIE/i;
/** Names that match and hold nothing secret. */
const HARMLESS = new Set(['PWD', 'OLDPWD', 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'XAUTHORITY']);

/** Whether a variable's name says that it holds a secret. */
export function looksLikeAKey(name: string): boolean {
  return LOOKS_LIKE_A_KEY.test(name) && !HARMLESS.has(name);
}

/** The environment without what looks like a key; `keepTemporal` leaves the connection settings of Temporal in. */
export function withoutKeys(env: NodeJS.ProcessEnv, options: { keepTemporal: boolean }): NodeJS.ProcessEnv {
  const isKept = (name: string) => (name.startsWith('TEMPORAL_') ? options.keepTemporal : !looksLikeAKey(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}
