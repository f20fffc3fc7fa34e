import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

/**
 * Twenty ways in which users of the platform's TypeScript SDK and server were hurt, as public reports tell, each
 * with the test that shows that we are not, or the reason why it cannot reach us.
 */
interface Report {
  readonly of: string;
  readonly behaviour: string;
  /** File of the test and the whole of its name. */
  readonly proof: readonly (readonly [string, string])[];
}

const WORKFLOWS = 'test/workflow/reports/workflows.test.ts';
const PROCESSES = 'test/workflow/reports/processes.test.ts';
const BUNDLE = 'test/unit/workers/workflow-bundle.test.ts';

const REPORTS: readonly Report[] = [
  {
    of: 'sdk-typescript#2442, documentation#5369',
    behaviour: 'after a cancel nothing of the run is alive when it closes',
    proof: [[PROCESSES, 'is dead when the run closes after a cancel, long before a heartbeat time-out']],
  },
  {
    of: 'sdk-typescript#1053',
    behaviour: 'a cancel reaches the program long before a heartbeat time-out',
    proof: [[PROCESSES, 'is dead when the run closes after a cancel, long before a heartbeat time-out']],
  },
  {
    of: 'sdk-rust#1252, sdk-rust#807',
    behaviour: 'a result that is ready while the server is away is not computed again',
    proof: [[PROCESSES, 'that is there while the server is away for long is found and not computed again']],
  },
  {
    of: 'sdk-typescript#2266',
    behaviour: 'a program that ignores SIGTERM does not keep its worker',
    proof: [
      [PROCESSES, 'and ignores SIGTERM does not keep a worker that is told to end, which ends in time with nothing left behind'],
    ],
  },
  {
    of: 'sdk-typescript#1115, #1039',
    behaviour: 'a node that fails while others run fails no workflow task',
    proof: [[WORKFLOWS, 'never fail a workflow task because a node fails while others run']],
  },
  {
    of: 'sdk-typescript#2227',
    behaviour: 'many open workflows take the memory of a few',
    proof: [[WORKFLOWS, 'open at once, ten times as many as are kept in memory, all finish, and never are more of them kept']],
  },
  {
    of: 'sdk-typescript#1355, #1592, #2170',
    behaviour: 'runs in one process see nothing of each other',
    proof: [[WORKFLOWS, 'of runs with other configs in one process see nothing of each other']],
  },
  {
    of: 'sdk-typescript#1582, #1677',
    behaviour: 'stored histories replay with all interceptors; none of ours is in a workflow',
    proof: [['test/replay/replay.test.ts', '%s replays with today’s code']],
  },
  {
    of: 'sdk-typescript#1744, sdk-python#1578',
    behaviour: 'a replay from the start decides the same; there are no local activities',
    proof: [[WORKFLOWS, 'that are replayed from their start at every task decide as those that are kept in memory']],
  },
  {
    of: 'temporal#6375, features#467',
    behaviour: 'fifty updates around a continue-as-new all get an answer',
    proof: [[WORKFLOWS, 'is answered, each of fifty, while the stage that they go to continues as new again and again']],
  },
  {
    of: 'features#723, pydantic-ai#7164',
    behaviour: 'what is too large ends in a typed failure or is cut, and is never sent again for ever',
    proof: [
      ['test/workflow/reports/oversized.test.ts', 'a start input of any size fails at once with a type'],
      ['test/workflow/reports/oversized.test.ts', 'megabytes that a program says in its failure give a small result'],
      ['test/workflow/reports/oversized.test.ts', 'an event that is too large is refused for good'],
    ],
  },
  {
    of: 'sdk-typescript#344, #290, postiz-app#2035',
    behaviour: 'a worker that is started before the server connects when it comes',
    proof: [[PROCESSES, 'that is there while the server is away for long is found and not computed again']],
  },
  {
    of: 'sdk-typescript#685, #516',
    behaviour: 'the workflow bundle builds with no module ignored',
    proof: [[BUNDLE, 'the bundle leaves out no module, holds none of Node’s, and only bundleWorkflowCode makes one']],
  },
  {
    of: 'sdk-typescript#876, #928, #1259',
    behaviour: 'the test run ends by itself',
    proof: [
      [
        'test/workflow/reports/runner.test.ts',
        'a test run over the real server and workers ends by itself, well, and leaves no process behind',
      ],
    ],
  },
  {
    of: 'temporal#3437, #725, #10639, #7236',
    behaviour: 'a reset to before stage 2 starts stage 2 once, and nothing of the old one goes on',
    proof: [
      [
        'test/e2e/reset.test.ts',
        'of a run to before stage 2 starts stage 2 once, ends the stage that went on, and reruns nothing that has a result',
      ],
    ],
  },
  {
    of: 'sdk-typescript#521',
    behaviour: 'a missing activity ends within five tries and names its worker',
    proof: [[WORKFLOWS, '%s ends within five tries, and what is said names it and its worker']],
  },
  {
    of: 'sdk-typescript#1960',
    behaviour: 'the client survives a dead server',
    proof: [[WORKFLOWS, 'that is sent while the server is away is answered when it is back, and no rejection is left unhandled']],
  },
  {
    of: 'temporal#6210',
    behaviour: 'a start of the server waits until it serves, and a restart keeps or moves its ports',
    proof: [
      ['test/workflow/hosting.test.ts', 'come back when %s is killed, though the supervisor only found it'],
      ['test/workflow/hosting.test.ts', 'moves to another pair of ports when the first is taken'],
      ['test/workflow/hosting.test.ts', 'are all ready, and each line says what was started'],
    ],
  },
  {
    of: 'dust#4272, dust#29171',
    behaviour: 'no two attempts of one evaluation write in one folder',
    proof: [
      [
        'test/unit/activities/evaluate.test.ts',
        'the same evaluation asked for on two devices at once runs once, and both get its result',
      ],
      [
        'test/unit/adapters/run-attempt.test.ts',
        'an attempt of a name that was used before gets a fresh folder, and the old one is kept',
      ],
    ],
  },
  {
    of: 'sdk-typescript#1251, #978',
    behaviour: 'only bundleWorkflowCode makes bundles, and one of another SDK version is never loaded',
    proof: [
      [BUNDLE, 'the bundle leaves out no module, holds none of Node’s, and only bundleWorkflowCode makes one'],
      [BUNDLE, 'a bundle that another version of the SDK made is never loaded: its name is another'],
    ],
  },
];

/** All of the sources, by path. */
function sources(): string[] {
  const src = join(PACKAGE_ROOT, 'src');
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return names.map((name) => readFileSync(join(src, name), 'utf8'));
}

describe('public reports about the platform', () => {
  test('are twenty, each with a proof', () => {
    expect(REPORTS).toHaveLength(20);
    expect(new Set(REPORTS.map(({ of }) => of)).size).toBe(20);
    expect(REPORTS.every(({ proof }) => proof.length > 0)).toBe(true);
  });

  test.each(REPORTS)('$of: $behaviour', ({ proof }) => {
    for (const [file, name] of proof) {
      const path = join(PACKAGE_ROOT, file);
      expect(existsSync(path), file).toBe(true);
      expect(readFileSync(path, 'utf8'), file).toContain(`'${name}'`);
    }
  });

  test('about interceptors of workflows and about local activities find none of these here', () => {
    const all = sources().join('\n');
    expect(all).not.toMatch(/proxyLocalActivities|scheduleLocalActivity|workflowInterceptorModules/);
    expect(all.match(/interceptors: \{[^}]*\}/g)?.every((text) => !text.includes('workflow'))).toBe(true);
  });
});
