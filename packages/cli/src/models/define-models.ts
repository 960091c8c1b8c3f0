import type { Command } from 'commander';
import type { Invocation } from '../command-io.ts';
import type { SourceFlags } from './model-source.ts';

/** Defines the commands that tell of models and of where they come from. */
export function defineModels(program: Command, invocation: Invocation): void {
  fromSomewhere(program.command('models').description('The models that are to be had'))
    .option('--provider <id>', 'only those of this provider')
    .action(async (options: SourceFlags & { provider?: string; json?: boolean }) => {
      const { modelsCommand } = await import('./models-command.ts');
      invocation.exitCode = await modelsCommand(invocation.io, options);
    });

  fromSomewhere(program.command('providers').description('Where models come from'))
    .option('--known', 'all that are known by name, with the variable each key is looked for in')
    .action(async (options: SourceFlags & { known?: boolean; json?: boolean }) => {
      const { providersCommand } = await import('./providers-command.ts');
      invocation.exitCode = await providersCommand(invocation.io, options);
    });
}

function fromSomewhere(command: Command): Command {
  return command
    .option('--json', 'as JSON')
    .option('--server [url]', 'those of a running server; without an address the one that has the data folder')
    .option('--token <text>', 'its token (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'the data folder whose config.json or server is meant (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}
