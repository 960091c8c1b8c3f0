import type { CreateTransport, TransportContext } from '@toolyard/mcp-host';
import { createWebTransports } from '@toolyard/mcp-host';
import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { readCatalogue } from './catalogue.ts';
import type { InternalClient } from './internal-client.ts';
import type { ProcessHeartbeat } from './process-heartbeat.ts';
import { isLocal } from './role.ts';
import { NOT_EXECUTED_HEADER, relayPath } from './internal-client.ts';

/** How long to wait for a process to host a server: processes start in any order, and restart. Milliseconds. */
const ADDRESS_WAIT_MS = 8_000;
const LOOK_EVERY_MS = 250;

export type RelayTransportsOptions = {
  heartbeat: Pick<ProcessHeartbeat, 'servers'>;
  client: InternalClient;
  clock: Clock;
  /** Called with the process that hosts a server from now on. */
  onFound: (serverId: string, holderId: string) => void;
};

/** Reaches local servers through the process that hosts them, and remote servers directly. */
export function createRelayTransports(own: CreateTransport, options: RelayTransportsOptions): CreateTransport {
  return async (config, context) => {
    if (!isLocal(config)) return own(config, context);
    const address = await waitForAddress(context, options);
    const create = createWebTransports({
      fetch: async (input, init) => {
        const response = await options.client.fetch(address, input, init);
        if (response.headers.has(NOT_EXECUTED_HEADER)) throw await notHostedError(response);
        return response;
      },
    });
    const transport = await create({ type: 'http', url: `${address}${relayPath(context.serverId)}` }, context);
    transport.relays = true;
    return transport;
  };
}

/** Reports a connection error, so that the host reconnects to the process that hosts the server then. */
async function notHostedError(response: Response): Promise<TypeError> {
  await response.body?.cancel();
  const cause = Object.assign(new Error('The server is hosted by another process.'), { code: 'ECONNREFUSED' });
  return new TypeError('fetch failed', { cause });
}

/** @throws ToolyardError if no process hosts it, or the reason why its host cannot use it */
async function waitForAddress(
  { serverId, signal }: TransportContext,
  { heartbeat, clock, onFound }: RelayTransportsOptions,
): Promise<string> {
  const giveUpAt = clock.monotonic() + ADDRESS_WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const row = (await heartbeat.servers()).find((each) => each.serverId === serverId);
    const isOver = clock.monotonic() >= giveUpAt;
    if (row?.holder?.address != null) {
      onFound(serverId, row.holder.id);
      const { state, error } = readCatalogue(row.catalogue)?.health ?? {};
      if (error !== undefined && (state === 'failed' || state === 'needs_sign_in')) throw new ToolyardError(error);
      if (state === 'ready' || state === 'idle' || state === 'disabled' || isOver) return row.holder.address;
    } else if (isOver) throw createNoHolderError(serverId);
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
  }
}

function createNoHolderError(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: `No process runs the local MCP server "${serverId}": local servers need a process with the role "tools".`,
    hint: 'Start one: toolyard serve --role tools, with the same database and the same mcp.json.',
    retryable: true,
  });
}
