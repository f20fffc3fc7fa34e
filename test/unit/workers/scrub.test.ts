import { expect, test } from 'vitest';
import { looksLikeAKey, withoutKeys } from '../../../src/workers/scrub.ts';

test.each([
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'HF_TOKEN',
  'GITHUB_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'PGPASSWORD',
  'DB_PASSWD',
  'MYSQL_PWD',
  'SSH_AUTH_SOCK',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'npm_config__authToken',
  'my_secret',
  'GPG_PASSPHRASE',
])('%s looks like a key', (name) => {
  expect(looksLikeAKey(name)).toBe(true);
});

test.each([
  'PATH',
  'HOME',
  'PWD',
  'OLDPWD',
  'LANG',
  'CUDA_VISIBLE_DEVICES',
  'LD_LIBRARY_PATH',
  'SCIENTIST_HOME',
  'SCIENTIST_PYTHON',
  'OMP_NUM_THREADS',
  'TMPDIR',
])('%s does not', (name) => {
  expect(looksLikeAKey(name)).toBe(false);
});

test('only what looks like no key is inherited, and settings of Temporal only where they are asked for', () => {
  const env = {
    PATH: '/bin',
    OPENAI_API_KEY: 'x',
    TEMPORAL_ADDRESS: 'a:1',
    TEMPORAL_API_KEY: 'y',
    TEMPORAL_TLS_CLIENT_KEY_PATH: 'z',
  };
  expect(withoutKeys(env, { keepTemporal: false })).toEqual({ PATH: '/bin' });
  expect(withoutKeys(env, { keepTemporal: true })).toEqual({
    PATH: '/bin',
    TEMPORAL_ADDRESS: 'a:1',
    TEMPORAL_API_KEY: 'y',
    TEMPORAL_TLS_CLIENT_KEY_PATH: 'z',
  });
  expect(env.OPENAI_API_KEY).toBe('x');
});
