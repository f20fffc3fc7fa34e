import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { describeFailure } from './failure-text.ts';
import { processIo, type Io } from './io.ts';
import { buildProgram } from './program.ts';

/**
 * The command `scientist`: parses the arguments (without interpreter and script), does the work, and gives
 * the exit code (exit-codes.ts). Whatever goes wrong is said in one block on standard error.
 */
export async function main(argv: string[], io: Io = processIo()): Promise<number> {
  let code: ExitCode = EXIT.done;
  try {
    const program = buildProgram({ io, finish: (ended) => (code = ended) });
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.input;
    const { lines, exitCode } = describeFailure(error, io.env);
    lines.forEach((line) => {
      io.err(line);
    });
    return exitCode;
  }
}
