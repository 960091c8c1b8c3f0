import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard agents`. */
export function defineAgents(program: Command, invocation: Invocation): void {
  const agents = program.command('agents').description('Manage agents of a running server').exitOverride();
  const action = serverActions(invocation, () => import('./agents-command.ts'));
  onServer(agents.command('list').description('List agents by name'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listAgents));
  onServer(agents.command('show').argument('<agent>', 'name or ID').description('Show an agent and its instructions'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.showAgent));
  onServer(
    agents.command('export').argument('<agent>', 'name or ID').description('Export an agent to stdout or a file'),
  )
    .addOption(
      new Option('--format <format>', 'export format')
        .choices(['toolyard', 'lobehub', 'character-card'])
        .default('toolyard'),
    )
    .option('--output <file>', 'write to this file, which must not exist')
    .action(action((commands) => commands.exportAgent));
  onServer(
    agents
      .command('import')
      .argument('<file>', 'agent of Toolyard or LobeHub, or character card (JSON or PNG)')
      .description('Import agents from a file; tools are not switched on'),
  )
    .option('--json', 'print JSON')
    .action(action((commands) => commands.importAgents));
  onServer(
    agents
      .command('delete')
      .argument('<agent>', 'name or ID')
      .description('Delete an agent; its conversations are kept'),
  ).action(action((commands) => commands.deleteAgent));
}
