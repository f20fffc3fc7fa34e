import type { Command } from 'commander';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { checkMachine } from '../doctor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { DoctorOutput, printJson } from '../json-output.ts';
import { tableLines } from '../text/table.ts';

/** `scientist doctor`. */
export function doctorCommand(context: CommandContext): Command {
  return newCommand('doctor', 'host', 'check what this machine has and lacks')
    .option('--json', 'as JSON')
    .action(acting(context, (flags: { json?: true }) => doctor(context.io, flags.json === true)));
}

async function doctor(io: Io, asJson: boolean): Promise<ExitCode> {
  const checks = await checkMachine(io.home, io.env);
  const ok = checks.every((check) => check.ok || !check.needed);
  if (asJson) printJson(io.out, DoctorOutput, { v: 1, ok, checks });
  else {
    const rows = checks.map(({ name, ok: isFine, needed, found }) => [isFine ? 'ok' : needed ? 'problem' : 'note', name, found]);
    tableLines(rows).forEach((line, index) => {
      io.out(line);
      const fix = checks[index]?.fix ?? null;
      if (fix !== null) io.out(`         fix: ${fix}`);
    });
  }
  return ok ? EXIT.done : EXIT.environment;
}
