import type { Command } from 'commander';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { hostDevices } from '../host.ts';

/** `scientist worker`: for further devices, of this host or another one that shares the server. */
export function workerCommand(context: CommandContext): Command {
  return newCommand('worker', 'host', 'host more devices until Ctrl-C, on the running or an outside server')
    .requiredOption('--device <spec>', 'devices to host: cpu:2, gpu:0')
    .action(acting(context, (flags: { device: string }) => hostDevices(context.io, flags.device)));
}
