import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { RunFlags } from './run-command.ts';

/** Defines `toolyard run`. */
export function defineRun(program: Command, invocation: Invocation): void {
  const { io } = invocation;
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
    .action(async (agent: string, task: string, flags: ServerFlags & RunFlags) => {
      const { runCommand } = await import('./run-command.ts');
      invocation.exitCode = await runCommand(io, await clientOf(io, flags), { agent, task }, flags);
    });
}
