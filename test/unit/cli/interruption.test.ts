import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pause } from '../../../src/cli/interruption.ts';

const MODULE = new URL('../../../src/cli/interruption.ts', import.meta.url).href;
const PROGRAM = `
const { listenForInterruption } = await import(${JSON.stringify(MODULE)});
const { signal } = listenForInterruption();
signal.addEventListener('abort', () => console.log('aborted'));
setInterval(() => undefined, 1000);
console.log('ready');
`;

async function start(): Promise<{ child: ChildProcess; said: () => string; saying: (word: string) => Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const saying = async (word: string): Promise<void> => {
    while (!text.includes(word)) await sleep(20);
  };
  await saying('ready');
  return { child, said: () => text, saying };
}

describe('listenForInterruption', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'takes %s as a wish to end, and does not end the process itself',
    async (name) => {
      const { child, saying } = await start();
      child.kill(name);
      await saying('aborted');
      expect(child.exitCode).toBeNull();
    },
  );

  it('takes several signals close together as one wish, a later one as the order to end at once', async () => {
    const { child, said, saying } = await start();
    child.kill('SIGINT');
    await saying('aborted');
    child.kill('SIGINT');
    await sleep(100);
    expect(child.exitCode).toBeNull();
    await sleep(700);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
    expect(said().match(/aborted/g)).toHaveLength(1);
  });
});

describe('pause', () => {
  it('ends early when it is aborted, and at once when it was before', async () => {
    const controller = new AbortController();
    const long = pause(600_000, controller.signal);
    controller.abort();
    await long;
    await pause(600_000, controller.signal);
  });
});
