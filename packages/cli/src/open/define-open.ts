import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard open`. */
export function defineOpen(program: Command, invocation: Invocation): void {
  const action = serverActions(invocation, () => import('./open-command.ts'));
  onServer(program.command('open').description('Open the page of a running server and sign the browser in'))
    .option('--no-browser', 'only print the link')
    .action(action((commands) => commands.openCommand));
}
