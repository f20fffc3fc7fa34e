import { describe, expect, it } from 'vitest';
import { openScreen } from '../../../../src/cli/follow/screen.ts';
import type { Io } from '../../../../src/cli/io.ts';
import type { LiveState } from '../../../../src/cli/text/live-view.ts';
import { RUN } from '../../../support/cli-fixtures.ts';

const STATE: LiveState = { runId: RUN, task: 'digits', elapsedMs: 0, progress: null, status: null, devices: [], notice: null };

function io(size: { columns: number; rows: number } | null): { io: Io; written: string[] } {
  const written: string[] = [];
  const terminal = size === null ? null : { write: (text: string) => void written.push(text), size: () => size, colour: false };
  return {
    written,
    io: { out: (line) => void written.push(`${line}\n`), err: () => undefined, terminal, env: {}, home: { root: '/' } },
  };
}

/** What a terminal shows after these writings: knows line feeds, cursor up and clear to the end, as xterm does. */
function shown(written: readonly string[]): string[] {
  const lines = [''];
  let row = 0;
  // Readable stand-ins for the two escape codes.
  const text = written.join('').replaceAll('\u001b[J', '<clear>').replaceAll('\u001b[', '<up');
  for (const part of text.split(/(\n|\r|<up\d+A|<clear>)/)) {
    const up = /^<up(\d+)A$/.exec(part)?.[1];
    if (up !== undefined) row = Math.max(0, row - Number(up));
    else if (part === '<clear>') lines.splice(row, Infinity, '');
    else if (part === '\n') lines[++row] ??= '';
    else if (part !== '\r') lines[row] = `${lines[row] ?? ''}${part}`;
  }
  return lines;
}

describe('openScreen', () => {
  it('writes plain lines where there is no terminal, and no moving part', () => {
    const { io: pipe, written } = io(null);
    const screen = openScreen(pipe);
    screen.draw(STATE);
    screen.print(['a', 'b']);
    screen.close();
    expect(written).toEqual(['a\n', 'b\n']);
  });

  it('redraws in place, below the lines that stay', () => {
    const { io: terminal, written } = io({ columns: 80, rows: 24 });
    const screen = openScreen(terminal);
    screen.draw(STATE);
    screen.print(['n1 good']);
    screen.draw({ ...STATE, elapsedMs: 60_000 });
    screen.print(['n2 good']);
    expect(shown(written)).toEqual([
      'n1 good',
      'n2 good',
      `${RUN}  digits  1 min 0 s`,
      'the run is being resolved',
      'Ctrl-C leaves; the run stays durable',
      '',
    ]);
  });

  it('removes the moving part when it is closed, once and for all', () => {
    const { io: terminal, written } = io({ columns: 80, rows: 24 });
    const screen = openScreen(terminal);
    screen.draw(STATE);
    screen.print(['n1 good']);
    screen.close();
    screen.close();
    expect(shown(written)).toEqual(['n1 good', '']);
  });

  it('writes nothing when nothing has changed', () => {
    const { io: terminal, written } = io({ columns: 80, rows: 24 });
    const screen = openScreen(terminal);
    screen.draw(STATE);
    const before = written.length;
    screen.draw(STATE);
    expect(written).toHaveLength(before);
  });
});
