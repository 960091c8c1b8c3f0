import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { OpenFlags } from './open-command.ts';

/** Defines `toolyard open`. */
export function defineOpen(program: Command, io: CommandIo): void {
  onServer(program.command('open').description('Open the page of a running server and sign the browser in'))
    .option('--no-browser', 'only print the link')
    .action(async (options: ServerFlags & OpenFlags) => {
      const { openCommand } = await import('./open-command.ts');
      await openCommand(io, await clientOf(io, options), options);
    });
}
