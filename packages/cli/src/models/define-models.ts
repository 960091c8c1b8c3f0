import type { Command } from 'commander';
import { actions } from '../actions.ts';
import type { Invocation } from '../command-io.ts';

/** Defines `toolyard models` and `toolyard providers`. */
export function defineModels(program: Command, invocation: Invocation): void {
  withSourceOptions(program.command('models').description('List available models'))
    .option('--provider <id>', 'only models of this provider')
    .action(actions(invocation, () => import('./models-command.ts'))((commands) => commands.modelsCommand));

  withSourceOptions(program.command('providers').description('List providers'))
    .option('--known', 'list provider presets and the variables of their API keys')
    .action(actions(invocation, () => import('./providers-command.ts'))((commands) => commands.providersCommand));
}

function withSourceOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--server [url]', 'ask a running server (default: the server of the data folder)')
    .option('--token <text>', 'access token or API key of the server (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'data folder of config.json and the server (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}
