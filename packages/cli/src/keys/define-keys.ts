import type { Command } from 'commander';
import { Option } from 'commander';
import { DEFAULT_KEY_SCOPES, KEY_SCOPES } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { repeatable } from '../options.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { CreateKeyFlags } from './keys-command.ts';

/** Defines `toolyard keys`. */
export function defineKeys(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('Manage API keys of a running server').exitOverride();

  onServer(keys.command('create').argument('<name>').description('Create an API key and print it, once'))
    .addOption(
      new Option('--scopes <list>', `comma-separated scopes: ${KEY_SCOPES.join(', ')}`).default(
        DEFAULT_KEY_SCOPES.join(','),
      ),
    )
    .option('--expires <days>', 'days until the key expires (default: never)')
    .addOption(repeatable('--agent <name>', 'only runs of this agent, by name or ID'))
    .addOption(repeatable('--tool <server/tool>', 'only calls of these tools; * matches any characters'))
    .option('--budget-run <amounts>', 'budget of each run, such as 0.50usd,20000tokens,10calls')
    .option('--budget-day <amounts>', 'budget of all runs of the key per day (UTC)')
    .option('--rate <limits>', 'maximum number of runs, such as 5/minute,100/day')
    .option('--json', 'print JSON')
    .action(async (name: string, options: ServerFlags & CreateKeyFlags) => {
      const { createKey } = await import('./keys-command.ts');
      await createKey(io, await clientOf(io, options), name, options);
    });

  onServer(keys.command('list').description('List API keys with their scopes'))
    .option('--json', 'print JSON')
    .action(async (options: ServerFlags & { json?: boolean }) => {
      const { listKeys } = await import('./keys-command.ts');
      await listKeys(io, await clientOf(io, options), options);
    });

  onServer(keys.command('revoke').argument('<id>').description('Revoke an API key')).action(
    async (id: string, options: ServerFlags) => {
      const { revokeKey } = await import('./keys-command.ts');
      await revokeKey(io, await clientOf(io, options), id);
    },
  );
}
