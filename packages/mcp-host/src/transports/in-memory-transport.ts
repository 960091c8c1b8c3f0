import type { Transport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { say } from '@toolyard/protocol';
import type { HostTransport, TransportContext } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { createConfigError } from '../values/config-error.ts';

/**
 * Connects a server in this process to its end of a transport pair; called for every connection. For a `McpServer` of
 * the official SDK it is `connect`.
 */
export type ServeInMemory = (transport: Transport) => void | Promise<void>;

/**
 * The transport to a server of this process, which `servers` has under the name in its configuration.
 *
 * @throws ToolyardError `bad_config` for an unknown server name
 * @example
 * const config = { type: 'in-memory', name: 'clock' } as const;
 * const transport = await createInMemoryTransport(config, context, { clock: clockServer });
 */
export async function createInMemoryTransport(
  config: Extract<TransportConfig, { type: 'in-memory' }>,
  context: TransportContext,
  servers: Readonly<Record<string, ServeInMemory>>,
): Promise<HostTransport> {
  const serve = Object.hasOwn(servers, config.name) ? servers[config.name] : undefined;
  if (serve === undefined) {
    throw createConfigError(
      say`The server "${context.serverId}" is built into Toolyard, but no server "${config.name}" is registered here.`,
    );
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serve(theirs);
  return ours;
}
