import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';

/** Defines `toolyard sessions`. */
export function defineSessions(program: Command, io: CommandIo): void {
  const sessions = program
    .command('sessions')
    .description('Browsers that are signed in to a running server')
    .exitOverride();

  onServer(sessions.command('list').description('List sessions with the browser and when each was last used'))
    .option('--json', 'as JSON')
    .action(async (options: ServerFlags & { json?: boolean }) => {
      const { listSessions } = await import('./sessions-command.ts');
      await listSessions(io, await clientOf(io, options), options);
    });

  onServer(
    sessions
      .command('revoke')
      .argument('[id]', 'as "toolyard sessions list" prints it')
      .description('Sign a browser out; its open connections end within 15 s'),
  )
    .option('--all', 'sign out all browsers')
    .action(async (id: string | undefined, options: ServerFlags & { all?: boolean }) => {
      const { revokeSessions } = await import('./sessions-command.ts');
      await revokeSessions(io, await clientOf(io, options), id, options);
    });
}
