import type { Command } from 'commander';
import { Option } from 'commander';
import { DEFAULT_KEY_SCOPES, KEY_SCOPES } from '@toolyard/protocol';
import type { Invocation } from '../command-io.ts';
import { repeatable } from '../options.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard keys`. */
export function defineKeys(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('Manage API keys of a running server').exitOverride();
  const action = serverActions(invocation, () => import('./keys-command.ts'));

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
    .action(action((commands) => commands.createKey));

  onServer(keys.command('list').description('List API keys with their scopes'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.listKeys));

  onServer(keys.command('revoke').argument('<id>').description('Revoke an API key')).action(
    action((commands) => commands.revokeKey),
  );
}
