import { expect, test } from 'vitest';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { takeClaim } from '../../src/adapters/claim.ts';
import { recordOf, runAttempt } from '../../src/adapters/run-attempt.ts';
import { auditRun } from '../../src/domain/run-audit.ts';
import { deviceNamed, jobOf, readyRun } from '../support/evaluations.ts';

const never = new AbortController().signal;

test('an evaluation that is really run twice, around the claim that forbids it, is counted as doubled', async () => {
  const job = await jobOf(await readyRun({ program: 'value.py', parameters: { x: 0.5 } }));
  const other = { ...job, device: deviceNamed('cpu1'), attempt: '2.1' };
  expect(await takeClaim(job.home, recordOf(job))).toBe(true);
  expect(await takeClaim(job.home, recordOf(other))).toBe(false);
  const results = await Promise.all([runAttempt(job, never), runAttempt(other, never)]);
  expect(results).toMatchObject([{ status: 'finished' }, { status: 'finished' }]);

  const { lines } = await readLedgers(job.home);
  const { runId } = job.input;
  const audit = auditRun({ runId, events: [], isOver: false }, lines);
  expect(audit.doubled).toMatchObject([[{ attempt: '1.1' }, { attempt: '2.1' }]]);
  expect(auditRun({ runId, events: [], isOver: true }, lines).lost).toMatchObject([{ how: 'unused' }]);
});
