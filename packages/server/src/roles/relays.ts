import type { McpHost } from '@toolyard/mcp-host';
import type { Clock } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { Relay } from './relay.ts';

export type RelaysOptions = {
  host: McpHost;
  clock: Clock;
  log: (line: string) => void;
  /** True for a server that this process offers to others. */
  has: (serverId: string) => boolean;
  /** Connects it if needed and waits up to a limit. */
  ready: (serverId: string, signal: AbortSignal) => Promise<void>;
};

/** Serves the MCP servers of this process at their own URLs, for other processes. */
export class Relays {
  readonly #options: RelaysOptions;
  readonly #relays = new Map<string, Relay>();
  readonly #stopListening: () => void;
  #isStopping = false;
  #wereAsked = false;

  constructor(options: RelaysOptions) {
    this.#options = options;
    this.#stopListening = options.host.onChange((id) => this.#relays.get(id)?.notifyChanges());
  }

  /** @throws ToolyardError if the server is not here or not ready */
  async fetch(serverId: string, request: Request): Promise<Response> {
    const { host, clock, log, has, ready } = this.#options;
    const known = this.#relays.get(serverId);
    // Calls in progress complete, including the requests inside them.
    if (this.#isStopping && (known?.isIdle !== false || (await asksForSomething(request))))
      throw createNotHostedError(serverId);
    if (!has(serverId)) throw createNotHostedError(serverId);
    this.#wereAsked = true;
    await ready(serverId, request.signal);
    // Loaded on demand: it imports the SDK's server, which most processes never need.
    const { Relay } = await import('./relay.ts');
    const relay = this.#relays.get(serverId) ?? new Relay({ host, serverId, clock, log });
    this.#relays.set(serverId, relay);
    return relay.fetch(request);
  }

  /** Closes the relay; clients have to find the server elsewhere. */
  async drop(serverId: string): Promise<void> {
    const relay = this.#relays.get(serverId);
    this.#relays.delete(serverId);
    await relay?.close();
  }

  /** Accepts nothing new, and waits this long for calls in progress. */
  async drain(ms: number): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#relays.values()];
    let callOff = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      callOff = this.#options.clock.after(ms, resolve);
    });
    await Promise.race([Promise.all(all.map((relay) => relay.whenIdle())), patience]);
    callOff();
  }

  /** True if other processes may have connections to a relay. */
  get wereAsked(): boolean {
    return this.#wereAsked;
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    this.#stopListening();
    await Promise.all([...this.#relays.keys()].map((id) => this.drop(id)));
  }
}

/** True for a request that starts something new; false for responses and notifications. */
async function asksForSomething(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return request.method === 'GET';
  const parsed = parseJson(await request.clone().text());
  return parsed.ok && isJsonObject(parsed.value) && 'method' in parsed.value && 'id' in parsed.value;
}

function createNotHostedError(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_closed',
    message: `This process does not host the server "${serverId}", or no longer.`,
    hint: 'Look up the server again: another process hosts it, or will.',
    retryable: true,
  });
}
