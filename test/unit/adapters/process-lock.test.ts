import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownIdentity } from '../../../src/adapters/process-identity.ts';
import { readHolder, takeLock } from '../../../src/adapters/process-lock.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A process that tries to take the lock and then stays. */
async function contender(path: string): Promise<{ child: ChildProcess; says: string }> {
  const child = spawn(process.execPath, ['--expose-gc', join(PACKAGE_ROOT, 'test/fixtures/hosting/hold-lock.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [says] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, says: says.toString() };
}

const pathOf = () => join(temporaryFolder(), 'locks', 'a.lock');

describe('a lock', () => {
  test('is held once in a process, and free again after it was released', async () => {
    const path = pathOf();
    const first = await takeLock(path, 'first');
    expect(first.held).toBe(true);
    expect(await takeLock(path, 'second')).toEqual({ held: false, holder: { identity: ownIdentity(), what: 'first' } });
    if (first.held) await first.release();
    expect(await readHolder(path)).toBeNull();
    const third = await takeLock(path, 'third');
    expect(third.held).toBe(true);
    if (third.held) await third.release();
  });

  test('of another process is refused with its name, and is ours after its SIGKILL, and not before', async () => {
    const path = pathOf();
    const { child, says } = await contender(path);
    expect(says).toBe('held');
    const refused = await takeLock(path, 'we');
    expect(refused).toMatchObject({ held: false, holder: { identity: { pid: child.pid }, what: 'the holder of the test' } });
    expect((await contender(path)).says).toBe('refused');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ours = await takeLock(path, 'we');
    expect(ours.held).toBe(true);
    expect(await readHolder(path)).toMatchObject({ what: 'we' });
    if (ours.held) await ours.release();
  });

  test('does not need the file with the name of its holder', async () => {
    const path = pathOf();
    const lock = await takeLock(path, 'we');
    rmSync(`${path}.holder.json`);
    expect((await contender(path)).says).toBe('refused');
    expect(await takeLock(path, 'again')).toEqual({ held: false, holder: null });
    if (lock.held) await lock.release();
  });

  test('is taken by exactly one of several that try at once', async () => {
    const path = pathOf();
    const all = await Promise.all([contender(path), contender(path), contender(path)]);
    expect(all.map(({ says }) => says).sort()).toEqual(['held', 'refused', 'refused']);
  });

  test('is not inherited by the children of its holder', async () => {
    const path = pathOf();
    const lock = await takeLock(path, 'we');
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    if (lock.held) await lock.release();
    expect((await contender(path)).says).toBe('held');
  });
});
