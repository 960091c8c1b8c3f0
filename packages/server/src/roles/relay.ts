import { ProtocolError } from '@modelcontextprotocol/server';
import type { ForwardedRequest, ForwardedServer, McpHost, ListedOffers } from '@toolyard/mcp-host';
import type { Clock, JsonObject } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { McpMount } from '../mcp-mount/create-mcp-mount.ts';
import { createMcpMount } from '../mcp-mount/create-mcp-mount.ts';
import { createRelayServer } from './relay-server.ts';

/** JSON-RPC code for a request that was not accepted. */
const NOT_ACCEPTED = -32_600;

export type RelayOptions = {
  host: Pick<McpHost, 'forwarded' | 'offered'>;
  serverId: string;
  clock: Clock;
  log: (line: string) => void;
};

/** One server of this process at its own URL. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #mount: McpMount;
  #era: ForwardedServer['era'] = 'legacy';
  #announced: ListedOffers | undefined;
  #open = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: RelayOptions) {
    const { host, serverId, clock, log } = options;
    this.#options = options;
    this.#mount = createMcpMount({
      // The caller has authenticated with the key of this installation.
      allowedHosts: null,
      maxBodyBytes: 64 * 1_024 * 1_024,
      clock,
      legacyOnly: () => this.#era === 'legacy',
      createServer: async () => {
        const server = { ...(await host.forwarded(serverId)), request: this.#forward };
        return createRelayServer({ server, clock });
      },
      onError: (error) => log(`MCP server "${serverId}" (relay): ${error.message}`),
    });
  }

  /** @throws ToolyardError if the server is not available */
  async fetch(request: Request): Promise<Response> {
    const { host, serverId } = this.#options;
    // Legacy servers send requests during a call, which only the older protocol supports.
    this.#era = (await host.forwarded(serverId, request.signal)).era;
    return this.#mount.fetch(request);
  }

  /** Notifies clients of changes in the server's lists since the last call. */
  notifyChanges(): void {
    const before = this.#announced;
    const now = this.#options.host.offered(this.#options.serverId);
    this.#announced = now;
    if (before === undefined) return;
    const has = (kind: keyof ListedOffers): boolean => JSON.stringify(before[kind]) !== JSON.stringify(now[kind]);
    if (has('tools')) this.#mount.announce.toolsChanged();
    if (has('resources') || has('templates')) this.#mount.announce.resourcesChanged();
    if (has('prompts')) this.#mount.announce.promptsChanged();
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Resolves when no request is in progress. */
  whenIdle(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  close(): Promise<void> {
    return this.#mount.close();
  }

  /** A relay outlives connections to the server behind it, so it gets the current one each time. */
  readonly #forward = async (request: ForwardedRequest): Promise<JsonObject> => {
    const { host, serverId } = this.#options;
    this.#open++;
    try {
      const server = await host.forwarded(serverId, request.options.signal).catch((thrown: unknown) => {
        throw new ProtocolError(NOT_ACCEPTED, toErrorInfo(thrown).message);
      });
      return await server.request(request);
    } finally {
      this.#open--;
      if (this.#open === 0) for (const resolveIdle of this.#whenIdle.splice(0)) resolveIdle();
    }
  };
}
