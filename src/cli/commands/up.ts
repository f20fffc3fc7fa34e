import type { Command } from 'commander';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { hostDevices } from '../host.ts';

/** `scientist up`. */
export function upCommand(context: CommandContext): Command {
  return newCommand('up', 'host', 'host server and workers until Ctrl-C, for runs and for the Web UI')
    .option('--devices <spec>', 'devices to host: auto, cpu:2, gpu:0,1', 'auto')
    .action(acting(context, (flags: { devices: string }) => hostDevices(context.io, flags.devices)));
}
