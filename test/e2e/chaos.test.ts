import { afterAll, describe, expect, test } from 'vitest';
import { newSlowHome, removeHome, runCommand, startCommand } from '../support/cli.ts';

/** `scientist chaos`: faults done to a real run, and the proof afterwards. */

describe('scientist chaos', { timeout: 300_000 }, () => {
  const home = newSlowHome(400);
  afterAll(() => removeHome(home));

  test('refuses without --yes and shows what it would do, kills what it says with it, and proves that nothing was lost', async () => {
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'victim');
    await run.saying(/ n1 +draft/);
    const argv = ['chaos', 'victim', '--kills', '3', '--seed', '4', '--faults', 'device_worker,shim,supervisor'];
    const asked = await runCommand(home, ...argv);
    expect(asked.code).toBe(2);
    expect(asked.out.split('\n').filter((line) => /^\d {2}(device_worker|shim|supervisor) /.test(line))).toHaveLength(3);
    expect(asked.err).toContain('--yes');

    const done = await runCommand(home, ...argv, '--yes');
    expect(done.code, done.out + done.err).toBe(0);
    expect(done.out).toMatch(/SIGKILL (device-cpu\d|shim of cpu\d|supervisor) \(\d+\)/);
    expect(done.out).toMatch(/^lost +0$/m);
    expect(done.out).toMatch(/^doubled +0$/m);
    expect(done.out).toMatch(/^recovery +next evaluation after/m);
    expect(await run.ended, run.out() + run.err()).toBe(0);
  });

  test('refuses what cannot be done: a run that has ended, an unknown fault, a number that is none', async () => {
    expect(await runCommand(home, 'chaos', 'victim', '--yes')).toMatchObject({ code: 3 });
    const unknown = await runCommand(home, 'chaos', 'victim', '--faults', 'servr', '--yes');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.err).toContain('server');
    expect(await runCommand(home, 'chaos', 'victim', '--kills', 'many', '--yes')).toMatchObject({ code: 2 });
    expect(await runCommand(home, 'chaos', 'nobody', '--yes')).toMatchObject({ code: 2 });
  });
});
