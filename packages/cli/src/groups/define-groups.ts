import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../command-io.ts';
import { positiveInteger, repeatable } from '../options.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard groups`. */
export function defineGroups(program: Command, invocation: Invocation): void {
  const groups = program.command('groups').description('Manage groups of agents of a running server').exitOverride();
  const action = serverActions(invocation, () => import('./groups-command.ts'));
  onServer(groups.command('list').description('List groups by name'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listGroups));
  onServer(groups.command('show').argument('<group>', 'name or ID').description('Show a group and its members'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.showGroup));
  onServer(
    groups
      .command('create')
      .argument('<name>')
      .description('Create a group; without --order or --supervisor the default model decides who speaks'),
  )
    .addOption(repeatable('--member <agent>', 'name or ID of an agent'))
    .addOption(
      new Option('--order <order>', 'no supervisor: the members speak in this order').choices(['round-robin', 'fixed']),
    )
    .option('--supervisor <agent>', 'agent that decides who speaks, by name or ID')
    .option('--instructions <text>', 'instructions for all members')
    .option('--max-rounds <n>', 'maximum rounds per message', positiveInteger)
    .addOption(repeatable('--stop <text>', 'stop after an answer with this text'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.createGroup));
  onServer(
    groups
      .command('delete')
      .argument('<group>', 'name or ID')
      .description('Delete a group; its conversations are kept'),
  ).action(action((commands) => commands.deleteGroup));
}
