import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';

/** Defines `toolyard sessions`. */
export function defineSessions(program: Command, io: CommandIo): void {
  const sessions = program
    .command('sessions')
    .description('Manage signed-in browsers of a running server')
    .exitOverride();

  onServer(sessions.command('list').description('List sessions with browser and last use'))
    .option('--json', 'print JSON')
    .action(async (options: ServerFlags & { json?: boolean }) => {
      const { listSessions } = await import('./sessions-command.ts');
      await listSessions(io, await clientOf(io, options), options);
    });

  onServer(
    sessions
      .command('revoke')
      .argument('[id]', 'session ID, see "toolyard sessions list"')
      .description('Sign out a browser and close its connections within 15 s'),
  )
    .option('--all', 'sign out all browsers')
    .action(async (id: string | undefined, options: ServerFlags & { all?: boolean }) => {
      const { revokeSessions } = await import('./sessions-command.ts');
      await revokeSessions(io, await clientOf(io, options), id, options);
    });
}
