import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Api } from '../api/client.ts';
import type { live } from '../live/live.svelte.ts';

type Deps = {
  api: Pick<Api, 'post'>;
  live: Pick<typeof live, 'onChanged' | 'onHello'>;
  wait: (act: () => void, ms: number) => unknown;
};

type Followed = { listeners: Set<() => void>; version: string | null; error?: ErrorInfo };

/**
 * Subscriptions to resources of servers that are connected to Toolyard's server. They are renewed while there is a
 * listener; the versions in each answer tell which resource was updated, also after missed announcements.
 */
export class ServerFollows {
  readonly #deps: Deps;
  readonly #servers = new Map<string, Map<string, Followed>>();
  readonly #timed = new Set<string>();
  #isListening = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @returns unsubscribes. @throws ToolyardError if the server rejects the subscription */
  async follow(serverId: string, uri: string, listener: () => void): Promise<() => void> {
    this.#listen();
    const uris = this.#servers.get(serverId) ?? new Map<string, Followed>();
    this.#servers.set(serverId, uris);
    const followed = uris.get(uri) ?? { listeners: new Set(), version: null };
    uris.set(uri, followed);
    followed.listeners.add(listener);
    const end = (): void => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0) uris.delete(uri);
      if (uris.size === 0) this.#servers.delete(serverId);
    };
    if (followed.version === null) await this.#renew(serverId);
    if (followed.version !== null || followed.error === undefined) return end;
    end();
    throw new ToolyardError(followed.error);
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#deps.live.onChanged(({ what, id }) => {
      if (what === 'resources') for (const server of this.#affected(id)) void this.#renew(server);
    });
    this.#deps.live.onHello(() => this.#affected().forEach((server) => void this.#renew(server)));
  }

  #affected(id?: string): string[] {
    return [...this.#servers.keys()].filter((server) => id === undefined || server === id);
  }

  async #renew(serverId: string): Promise<void> {
    const uris = this.#servers.get(serverId);
    if (uris === undefined) return;
    const body = { uris: [...uris.keys()].slice(0, 100) };
    const answer = await this.#deps.api
      .post('/api/mcp/servers/{id}/resources/follow', { params: { id: serverId }, body })
      // The next announcement, connection or renewal tries again.
      .catch(() => ({ renewAfterMs: 60_000, items: [] }));
    for (const { uri, version, error } of answer.items) {
      const followed = uris.get(uri);
      if (followed === undefined) continue;
      const isUpdated = followed.version !== null && version !== null && version !== followed.version;
      followed.version = version;
      if (error === undefined) delete followed.error;
      else followed.error = error;
      if (isUpdated) for (const listener of followed.listeners) listener();
    }
    if (this.#timed.has(serverId)) return;
    this.#timed.add(serverId);
    this.#deps.wait(() => {
      this.#timed.delete(serverId);
      void this.#renew(serverId);
    }, answer.renewAfterMs);
  }
}
