import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
import type { ServerClient, ServerFlags } from './server-client.ts';

/** A command that talks to a running server. */
export function onServer(command: Command): Command {
  return command
    .option('--server <url>', 'which server; by default the one that has the data folder')
    .option('--token <text>', 'its token (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'the data folder whose server is meant (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

/** The server the flags mean. */
export async function clientOf(io: CommandIo, flags: ServerFlags): Promise<ServerClient> {
  const { serverClient } = await import('./server-client.ts');
  return serverClient(flags, io, (input, init) => globalThis.fetch(input, init));
}
