import type { Io, Terminal } from '../io.ts';
import { liveLines, type LiveState } from '../text/live-view.ts';

/** Where a followed run is shown. */
export interface Screen {
  /** Adds lines that stay. */
  print(lines: readonly string[]): void;
  /** Replaces the moving part; does nothing where there is no terminal. */
  draw(state: LiveState): void;
  /** Removes the moving part. */
  close(): void;
}

/** The live view on a terminal, plain lines elsewhere. */
export function openScreen(io: Io): Screen {
  return io.terminal === null ? lineScreen(io) : liveScreen(io.terminal);
}

function lineScreen(io: Io): Screen {
  return {
    print: (lines) =>
      lines.forEach((line) => {
        io.out(line);
      }),
    draw: () => undefined,
    close: () => undefined,
  };
}

/**
 * Redraws in place: up over the lines of the last drawing, clear to the end, write anew. Nothing else of the
 * terminal is touched, so the lines that stay can be scrolled back to.
 */
function liveScreen(terminal: Terminal): Screen {
  let drawn: readonly string[] = [];
  const replace = (kept: readonly string[], panel: readonly string[]): void => {
    const up = drawn.length === 0 ? '' : `\u001b[${drawn.length}A`;
    terminal.write(`${up}\r\u001b[J${[...kept, ...panel].map((line) => `${line}\n`).join('')}`);
    drawn = panel;
  };
  return {
    print: (lines) => {
      if (lines.length > 0) replace(lines, drawn);
    },
    draw: (state) => {
      const lines = liveLines(state, { ...terminal.size(), colour: terminal.colour });
      if (lines.join('\n') !== drawn.join('\n')) replace([], lines);
    },
    close: () => {
      replace([], []);
    },
  };
}
