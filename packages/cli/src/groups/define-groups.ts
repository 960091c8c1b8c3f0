import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandIo } from '../command-io.ts';
import { positiveInteger, repeatable } from '../options.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { NewGroupFlags } from './groups-command.ts';

type Json = { json?: boolean };

/** Defines `toolyard groups`. */
export function defineGroups(program: Command, io: CommandIo): void {
  const groups = program.command('groups').description('Manage groups of agents of a running server').exitOverride();

  onServer(groups.command('list').description('List groups by name'))
    .option('--json', 'print JSON')
    .action(async (options: ServerFlags & Json) => {
      const { listGroups } = await import('./groups-command.ts');
      await listGroups(io, await clientOf(io, options), options);
    });

  onServer(groups.command('show').argument('<group>', 'name or ID').description('Show a group and its members'))
    .option('--json', 'print JSON')
    .action(async (group: string, options: ServerFlags & Json) => {
      const { showGroup } = await import('./groups-command.ts');
      await showGroup(io, await clientOf(io, options), group, options);
    });

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
    .action(async (name: string, options: ServerFlags & NewGroupFlags) => {
      const { createGroup } = await import('./groups-command.ts');
      await createGroup(io, await clientOf(io, options), name, options);
    });

  onServer(
    groups
      .command('delete')
      .argument('<group>', 'name or ID')
      .description('Delete a group; its conversations are kept'),
  ).action(async (group: string, options: ServerFlags) => {
    const { deleteGroup } = await import('./groups-command.ts');
    await deleteGroup(io, await clientOf(io, options), group);
  });
}
