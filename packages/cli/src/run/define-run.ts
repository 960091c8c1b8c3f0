import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard run`. */
export function defineRun(program: Command, invocation: Invocation): void {
  const action = serverActions(invocation, () => import('./run-command.ts'));
  onServer(
    program
      .command('run')
      .argument('<agent>', 'name or ID of the agent')
      .argument('<task>', 'the message that the run starts with; "-" reads it from stdin')
      .description('Start a run of an agent on a running server, and print its ID'),
  )
    .option('--wait', 'print the answer, and exit with 1 if the run fails or is cancelled')
    .option('--conversation <id>', 'continue this conversation instead of starting a new one')
    .option('--json', 'print JSON; with --wait: the events of the run, one per line')
    .action(action((commands) => commands.runCommand));
}
