/** Reading Python's tracebacks in a program's output. Other languages end with an exit code. */

const HEADER = 'Traceback (most recent call last):';

/** `ValueError: msg`, also inside the frame that an exception group draws. */
const RAISED = /^(?: {2}[|+] )?([A-Za-z_][\w.]*(?:: .*)?)$/;

/** Python reports these without a traceback when the program itself cannot be read. */
const UNREADABLE = /^(?:SyntaxError|IndentationError|TabError): .*$/;

/** Escape sequences of terminals, and control characters, which have no place in a message. */
// eslint-disable-next-line no-control-regex
const CONTROL = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The line that names the last exception in an output, such as `ValueError: bad depth`; `null` when there is none. */
export function lastException(output: string): string | null {
  const lines = plainText(output)
    .split('\n')
    .map((line) => line.trimEnd());
  const header = lines.findLastIndex((line) => line.endsWith(HEADER));
  if (header === -1) return lines.findLast((line) => UNREADABLE.test(line)) ?? null;
  const raised = lines.slice(header + 1).find((line) => RAISED.test(line));
  return raised === undefined ? 'an exception whose message was cut off' : (RAISED.exec(raised)?.[1] ?? raised);
}

/** The last line of an output that is not empty; `null` when there is none. */
export function lastLine(output: string): string | null {
  return (
    plainText(output)
      .split('\n')
      .map((line) => line.trim())
      .findLast((line) => line !== '') ?? null
  );
}

/** A text without escape sequences and control characters. */
export function plainText(text: string): string {
  return text.replace(CONTROL, '');
}
