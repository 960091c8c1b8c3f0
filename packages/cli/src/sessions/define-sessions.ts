import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard sessions`. */
export function defineSessions(program: Command, invocation: Invocation): void {
  const sessions = program
    .command('sessions')
    .description('Manage signed-in browsers of a running server')
    .exitOverride();
  const action = serverActions(invocation, () => import('./sessions-command.ts'));

  onServer(sessions.command('list').description('List sessions with browser and last use'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listSessions));

  onServer(
    sessions
      .command('revoke')
      .argument('[id]', 'session ID, see "toolyard sessions list"')
      .description('Sign out a browser and close its connections within 15 s'),
  )
    .option('--all', 'sign out all browsers')
    .action(action((commands) => commands.revokeSessions));
}
