import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { workflowBundle } from '../support/workflow-lab.ts';
import '../support/temporal-server.ts';

const FOLDER = new URL('./histories/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

function historyText(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}

async function replay(text: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, JSON.parse(text), 'replayed');
}

test('there is a history of every workflow type in both schedules', () => {
  const types = new Set(FILES.map((file) => /"workflowType":\s*\{\s*"name":\s*"(\w+)"/.exec(historyText(file))?.[1]));
  expect(types).toEqual(new Set(['research', 'initialImplementation', 'baselineTuning', 'creativeResearch', 'ablationStudies']));
  expect(FILES.some((file) => file.includes('-async'))).toBe(true);
});

test.each(FILES)('%s replays with today’s code', async (file) => {
  await replay(historyText(file));
});

test('a history that today’s code would not make is refused', async () => {
  const file = FILES.find((name) => name.includes('barrier-baseline_tuning')) ?? '';
  const text = historyText(file);
  const changed = text.replaceAll('"name":"propose"', '"name":"guess"').replaceAll('"name": "propose"', '"name": "guess"');
  expect(changed).not.toBe(text);
  await expect(replay(changed)).rejects.toThrow(DeterminismViolationError);
});
