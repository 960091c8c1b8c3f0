import type { Command } from 'commander';
import { Argument } from 'commander';
import { SEARCH_ENGINES } from '@toolyard/protocol';
import type { SearchEngine } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { clientOf, onServer } from '../server/on-server.ts';
import type { ServerFlags } from '../server/server-client.ts';
import type { SetEngineFlags } from './search-engine-command.ts';

/** Defines `toolyard search-engine`. */
export function defineSearchEngine(program: Command, io: CommandIo): void {
  const engine = program
    .command('search-engine')
    .description('Configure the search engine of web_search on a running server')
    .exitOverride();

  onServer(engine.command('show').description('Show the search engine'))
    .option('--json', 'print JSON')
    .action(async (options: ServerFlags & { json?: boolean }) => {
      const { showSearchEngine } = await import('./search-engine-command.ts');
      await showSearchEngine(io, await clientOf(io, options), options);
    });

  onServer(
    engine
      .command('set')
      .addArgument(new Argument('<engine>', 'search engine').choices(SEARCH_ENGINES))
      .description('Choose the search engine'),
  )
    .option('--url <url>', 'URL of SearXNG, or of a custom engine with {query}')
    .option('--key-stdin', 'read the API key from stdin (or TOOLYARD_SEARCH_KEY)')
    .action(async (name: SearchEngine, options: ServerFlags & SetEngineFlags) => {
      const { setSearchEngine } = await import('./search-engine-command.ts');
      await setSearchEngine(io, await clientOf(io, options), name, options);
    });

  onServer(engine.command('remove').description('Remove the search engine and its key')).action(
    async (options: ServerFlags) => {
      const { removeSearchEngine } = await import('./search-engine-command.ts');
      await removeSearchEngine(io, await clientOf(io, options));
    },
  );
}
