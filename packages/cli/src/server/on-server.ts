import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
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
export async function clientOf(io: CommandIo, flags: ServerFlags): Promise<ServerClient> {
  const { serverClient } = await import('./server-client.ts');
  return serverClient(flags, io, (input, init) => globalThis.fetch(input, init));
}
