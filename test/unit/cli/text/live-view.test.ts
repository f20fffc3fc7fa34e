import { describe, expect, it } from 'vitest';
import { liveLines, type LiveState } from '../../../../src/cli/text/live-view.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { good, landed, progressOf, RUN, stageStatus, started } from '../../../support/cli-fixtures.ts';

const WIDE = { columns: 100, rows: 30, colour: false };
const running = (worker: number, doing: string) => ({
  worker,
  item: nodeItem('improve', nodeId(1), null, 0),
  node: nodeId(worker + 3),
  doing,
});

function state(change: Partial<LiveState> = {}): LiveState {
  return {
    runId: RUN,
    task: 'digits, accuracy (maximize)',
    elapsedMs: 72_000,
    progress: progressOf([
      started(0),
      landed(1, good(1, 0.95)),
      landed(2, good(2, 0.97, { operator: 'improve', parent: nodeId(1), label: 'depth' })),
    ]),
    status: stageStatus({ running: [running(0, 'digits on cpu0'), running(1, 'proposing')] }),
    devices: ['cpu0', 'cpu1'],
    notice: null,
    ...change,
  };
}

describe('liveLines', () => {
  it('shows run, stage, counts, best against its parent, workers and idle devices', () => {
    expect(liveLines(state(), WIDE)).toEqual([
      'digits-20261129-1  digits, accuracy (maximize)  1 min 12 s',
      'stage 1/4 initial_implementation  running  nodes 2/12  good 2  buggy 0',
      'best  n2 accuracy 0.9700  +0.0200 on n1  improve depth',
      'w0    improve n3 from n1     digits on cpu0',
      'w1    improve n4 from n1     proposing',
      'idle  cpu1',
      'Ctrl-C leaves; the run stays durable',
    ]);
  });

  it('says so before the run is resolved', () => {
    expect(liveLines(state({ progress: null, status: null, devices: [] }), WIDE)).toContain('the run is being resolved');
  });

  it('says so when nothing is best yet, and when the server is away', () => {
    const lines = liveLines(state({ progress: progressOf([started(0)]), notice: 'the server is away; waiting for it' }), WIDE);
    expect(lines).toContain('best  none yet');
    expect(lines).toContain('the server is away; waiting for it');
  });

  it('does not show a node as running that has landed', () => {
    const stale = { ...running(0, 'digits on cpu0'), node: nodeId(2) };
    const lines = liveLines(state({ status: stageStatus({ running: [stale] }) }), WIDE);
    expect(lines).toContain('idle  cpu0, cpu1');
    expect(lines.some((line) => line.startsWith('w0'))).toBe(false);
  });

  it('says why nothing runs', () => {
    expect(liveLines(state({ status: stageStatus({ state: 'paused', waitingFor: 'paused by a person' }) }), WIDE)).toContain(
      'waiting: paused by a person',
    );
  });

  it.each([1, 2, 3, 5, 7, 8])('never has as many lines as a terminal of %i rows', (rows) => {
    const lines = liveLines(state({ notice: 'the server is away' }), { ...WIDE, rows });
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    expect(lines[0]).toContain(RUN);
  });

  it('drops the hint before the workers, and the workers before the best node', () => {
    const lines = liveLines(state(), { ...WIDE, rows: 5 });
    expect(lines.some((line) => line.startsWith('best'))).toBe(true);
    expect(lines.some((line) => line.startsWith('Ctrl-C'))).toBe(false);
    expect(lines.filter((line) => line.startsWith('w'))).toHaveLength(1);
  });

  it('never has a line as wide as the terminal, and marks what was cut', () => {
    const lines = liveLines(state(), { ...WIDE, columns: 20 });
    for (const line of lines) expect(line.length).toBeLessThan(20);
    expect(lines[0]).toMatch(/…$/);
  });

  it('uses escape codes only where colour is wanted', () => {
    expect(liveLines(state(), WIDE).join('')).not.toContain('\u001b');
    expect(liveLines(state(), { ...WIDE, colour: true }).join('')).toContain('\u001b[1m');
  });

  it('lets no text of a program reach the terminal as a control code', () => {
    const nasty = state({ status: stageStatus({ running: [running(0, 'digits\u001b[2J on cpu0')] }) });
    expect(liveLines(nasty, WIDE).join('')).not.toContain('\u001b');
  });
});
