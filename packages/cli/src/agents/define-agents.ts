import type { Command } from 'commander';
import { Option } from 'commander';
import type { AgentFormat } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';

type Json = { json?: boolean };

/** Defines `toolyard agents`. */
export function defineAgents(program: Command, io: CommandIo): void {
  const agents = program.command('agents').description('Manage agents of a running server').exitOverride();

  onServer(agents.command('list').description('List agents by name'))
    .option('--json', 'print JSON')
    .action(async (options: ServerFlags & Json) => {
      const { listAgents } = await import('./agents-command.ts');
      await listAgents(io, await clientOf(io, options), options);
    });

  onServer(agents.command('show').argument('<agent>', 'name or ID').description('Show an agent and its instructions'))
    .option('--json', 'print JSON')
    .action(async (agent: string, options: ServerFlags & Json) => {
      const { showAgent } = await import('./agents-command.ts');
      await showAgent(io, await clientOf(io, options), agent, options);
    });

  onServer(
    agents.command('export').argument('<agent>', 'name or ID').description('Export an agent to stdout or a file'),
  )
    .addOption(
      new Option('--format <format>', 'export format')
        .choices(['toolyard', 'lobehub', 'character-card'])
        .default('toolyard'),
    )
    .option('--output <file>', 'write to this file, which must not exist')
    .action(async (agent: string, options: ServerFlags & { format: AgentFormat; output?: string }) => {
      const { exportAgent } = await import('./agents-command.ts');
      await exportAgent(io, await clientOf(io, options), agent, options);
    });

  onServer(
    agents
      .command('import')
      .argument('<file>', 'agent of Toolyard or LobeHub, or character card (JSON or PNG)')
      .description('Import agents from a file; tools are not switched on'),
  )
    .option('--json', 'print JSON')
    .action(async (file: string, options: ServerFlags & Json) => {
      const { importAgents } = await import('./agents-command.ts');
      await importAgents(io, await clientOf(io, options), file, options);
    });

  onServer(
    agents
      .command('delete')
      .argument('<agent>', 'name or ID')
      .description('Delete an agent; its conversations are kept'),
  ).action(async (agent: string, options: ServerFlags) => {
    const { deleteAgent } = await import('./agents-command.ts');
    await deleteAgent(io, await clientOf(io, options), agent);
  });
}
