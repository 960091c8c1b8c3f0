import type { Transport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { ToolyardError } from '@toolyard/protocol';
import type { HostTransport, TransportContext } from './transport.ts';
import type { TransportConfig } from '../types.ts';

/**
 * Connects a server that lives in this process to its side of a pair of transports; called for every connection. A
 * `McpServer` of the official SDK has it as `connect`.
 */
export type ServeInMemory = (transport: Transport) => void | Promise<void>;

/** @throws ToolyardError `bad_config` if nobody knows the server by its name. */
export async function createInMemoryTransport(
  config: Extract<TransportConfig, { type: 'in-memory' }>,
  context: TransportContext,
  servers: Readonly<Record<string, ServeInMemory>>,
): Promise<HostTransport> {
  const serve = Object.hasOwn(servers, config.name) ? servers[config.name] : undefined;
  if (serve === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `The server "${context.serverId}" lives inside Toolyard, but there is none called "${config.name}" here.`,
    });
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serve(theirs);
  return ours;
}
