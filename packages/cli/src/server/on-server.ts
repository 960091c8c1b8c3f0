import type { Command } from 'commander';
import { actions } from '../actions.ts';
import type { CommandIo, Invocation } from '../command-io.ts';
import type { ServerClient, ServerFlags } from './server-client.ts';

/** Adds the flags of a command that calls a running server. */
export function onServer(command: Command): Command {
  return command
    .option('--server <url>', 'URL of the server (default: the server of the data folder)')
    .option('--token <text>', 'access token or API key of the server (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'data folder of the server (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

/** A client of the server that the flags select. */
export async function openClient(io: CommandIo, flags: ServerFlags): Promise<ServerClient> {
  const { serverClient } = await import('./server-client.ts');
  return serverClient(flags, io, (input, init) => globalThis.fetch(input, init));
}

type ServerCommand<Args extends unknown[]> = (
  io: CommandIo,
  client: ServerClient,
  ...args: Args
) => Promise<number | void>;

/**
 * {@link actions} of commands on a server, which also get the client that their flags select.
 *
 * @example
 * const action = serverActions(invocation, () => import('./keys-command.ts'));
 * onServer(keys.command('list')).action(action((commands) => commands.listKeys));
 */
export function serverActions<Module>(invocation: Invocation, load: () => Promise<Module>) {
  const action = actions(invocation, load);
  return <Args extends unknown[]>(pick: (module: Module) => ServerCommand<Args>) =>
    action((module) => async (io, ...args: Args) => {
      const run = pick(module);
      return run(io, await openClient(io, args.at(-1) as ServerFlags), ...args);
    });
}
