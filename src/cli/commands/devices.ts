import type { Command } from 'commander';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { DevicesOutput, printJson } from '../json-output.ts';
import { findLocalDevices } from '../local-devices.ts';
import { queuePrefixOf } from '../services.ts';
import { tableLines } from '../text/table.ts';

/** `scientist devices`. */
export function devicesCommand(context: CommandContext): Command {
  return newCommand('devices', 'host', 'list the devices that a run would use here')
    .option('--devices <spec>', 'auto, cpu:2, gpu:0,1', 'auto')
    .option('--json', 'as JSON')
    .action(
      acting(context, (flags: { devices: string; json?: true }) => devices(context.io, flags.devices, flags.json === true)),
    );
}

async function devices(io: Io, spec: string, asJson: boolean): Promise<ExitCode> {
  const found = await findLocalDevices(spec, queuePrefixOf(io.env), io.env);
  if (asJson) {
    printJson(io.out, DevicesOutput, { v: 1, devices: found.devices, cores: found.cores, warnings: found.warnings });
    return EXIT.done;
  }
  const rows = found.devices.map(({ name, kind, queue, uuid, memoryMiB }) => [
    name,
    kind,
    queue,
    uuid ?? '',
    memoryMiB === null ? '' : `${memoryMiB} MiB`,
  ]);
  tableLines(rows).forEach((line) => {
    io.out(line);
  });
  found.warnings.forEach((warning) => {
    io.err(`note: ${warning}`);
  });
  return EXIT.done;
}
