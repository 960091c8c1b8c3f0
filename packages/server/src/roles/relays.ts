import type { McpHost } from '@toolyard/mcp-host';
import type { Clock } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { Relay } from './relay.ts';

export type RelaysOptions = {
  host: McpHost;
  clock: Clock;
  log: (line: string) => void;
  /** True for a server that is this process's to offer. */
  has: (serverId: string) => boolean;
  /** Connects it if need be and waits, bounded. */
  ready: (serverId: string, signal: AbortSignal) => Promise<void>;
};

/** The servers of this process at addresses of their own, for other processes. */
export class Relays {
  readonly #options: RelaysOptions;
  readonly #relays = new Map<string, Relay>();
  readonly #stopHearing: () => void;
  #isStopping = false;
  #wereAsked = false;

  constructor(options: RelaysOptions) {
    this.#options = options;
    this.#stopHearing = options.host.onChange((id) => this.#relays.get(id)?.tellChanges());
  }

  /** @throws ToolyardError for a server that is not here, or not ready */
  async fetch(serverId: string, request: Request): Promise<Response> {
    const { host, clock, log, has, ready } = this.#options;
    const known = this.#relays.get(serverId);
    // What is under way goes on to its end, and so do the questions in it.
    if (this.#isStopping && (known?.isIdle !== false || (await asksForSomething(request)))) throw elsewhere(serverId);
    if (!has(serverId)) throw elsewhere(serverId);
    this.#wereAsked = true;
    await ready(serverId, request.signal);
    // Only here: it brings along the SDK's server, which most processes never need.
    const { Relay } = await import('./relay.ts');
    const relay = this.#relays.get(serverId) ?? new Relay({ host, serverId, clock, log });
    this.#relays.set(serverId, relay);
    return relay.fetch(request);
  }

  /** Whoever reached it here is to look for it elsewhere. */
  async drop(serverId: string): Promise<void> {
    const relay = this.#relays.get(serverId);
    this.#relays.delete(serverId);
    await relay?.close();
  }

  /** Takes nothing new, and waits so long for what is under way. */
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

  /** True where others may hold connections to what was offered here. */
  get wereAsked(): boolean {
    return this.#wereAsked;
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    this.#stopHearing();
    await Promise.all([...this.#relays.keys()].map((id) => this.drop(id)));
  }
}

/** True for what would begin something new: no answer and no word about what is under way. */
async function asksForSomething(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return request.method === 'GET';
  const parsed = parseJson(await request.clone().text());
  return parsed.ok && isJsonObject(parsed.value) && 'method' in parsed.value && 'id' in parsed.value;
}

function elsewhere(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_closed',
    message: `This process does not have the server "${serverId}", or no longer.`,
    hint: 'Look for it again: another process has it, or will.',
    retryable: true,
  });
}
