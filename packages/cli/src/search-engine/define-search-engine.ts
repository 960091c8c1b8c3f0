import type { Command } from 'commander';
import { Argument } from 'commander';
import { SEARCH_ENGINES } from '@toolyard/protocol';
import type { Invocation } from '../command-io.ts';
import { onServer, serverActions } from '../server/on-server.ts';

/** Defines `toolyard search-engine`. */
export function defineSearchEngine(program: Command, invocation: Invocation): void {
  const engine = program
    .command('search-engine')
    .description('Configure the search engine of web_search on a running server')
    .exitOverride();
  const action = serverActions(invocation, () => import('./search-engine-command.ts'));

  onServer(engine.command('show').description('Show the search engine'))
    .option('--json', 'print JSON')
    .action(action((commands) => commands.showSearchEngine));

  onServer(
    engine
      .command('set')
      .addArgument(new Argument('<engine>', 'search engine').choices(SEARCH_ENGINES))
      .description('Choose the search engine'),
  )
    .option('--url <url>', 'URL of SearXNG, or of a custom engine with {query}')
    .option('--key-stdin', 'read the API key from stdin (or TOOLYARD_SEARCH_KEY)')
    .action(action((commands) => commands.setSearchEngine));

  onServer(engine.command('remove').description('Remove the search engine and its key')).action(
    action((commands) => commands.removeSearchEngine),
  );
}
