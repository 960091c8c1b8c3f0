import type { Clock, ErrorInfo, ResourcePart } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { OfferCatalogue } from './catalogue.ts';
import type { ListedResource, ListedTemplate, McpRequestOptions } from '../types.ts';
import { SERVER_LIMITS } from '../values/server-limits.ts';

/** How long contents are cached, unless the server announces a change. Milliseconds. */
const LIFETIME_MS = 5 * 60_000;
const MAX_CONTENTS = 200;
/** Cache size in characters; contents larger than an eighth of it are not cached. */
const MAX_CHARACTERS = 16 * 1_024 * 1_024;

export type ResourceStoreOptions = {
  clock: Clock;
  catalogue(serverId: string): OfferCatalogue | undefined;
  read(serverId: string, uri: string, options: McpRequestOptions): Promise<ResourcePart[]>;
  /** Subscribes the server to `added` and unsubscribes it from `removed`; `wanted` is all of them. */
  follow(serverId: string, subscribed: ReadonlySet<string>, added: string[], removed: string[]): Promise<void>;
};

type CachedContents = { contents: ResourcePart[]; size: number; until: number };

/** The resources of all servers: lists, recently read contents, and subscriptions. */
export class ResourceStore {
  readonly #options: ResourceStoreOptions;
  /** Least recently used first. */
  readonly #contents = new Map<string, CachedContents>();
  readonly #reading = new Map<string, Promise<ResourcePart[]>>();
  readonly #followed = new Map<string, Map<string, number>>();
  readonly #listeners = new Set<(serverId: string, uri: string) => void>();
  /** Followed ones whose update is not announced yet, by server. */
  readonly #updated = new Map<string, Set<string>>();
  #size = 0;
  /** Number of announced updates. */
  #updates = 0;

  constructor(options: ResourceStoreOptions) {
    this.#options = options;
  }

  /** Empty until the server has listed them. */
  resources(serverId: string): readonly ListedResource[] {
    return this.#options.catalogue(serverId)?.resources ?? [];
  }

  templates(serverId: string): readonly ListedTemplate[] {
    return this.#options.catalogue(serverId)?.templates ?? [];
  }

  /** Cached contents, or a fresh read; concurrent readers share one request. @throws ToolyardError */
  async read(
    serverId: string,
    uri: string,
    options: McpRequestOptions & { fresh?: boolean } = {},
  ): Promise<ResourcePart[]> {
    const key = getKey(serverId, uri);
    const cached = this.#contents.get(key);
    if (cached !== undefined && options.fresh !== true && cached.until > this.#options.clock.monotonic()) {
      this.#contents.delete(key);
      this.#contents.set(key, cached);
      return cached.contents;
    }
    // A read with its own signal is not shared.
    if (options.signal !== undefined) return this.#readNow(serverId, uri, options);
    const shared = this.#reading.get(key);
    if (shared !== undefined) return shared;
    const reading = this.#readNow(serverId, uri, options).finally(() => {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    });
    this.#reading.set(key, reading);
    return reading;
  }

  async #readNow(serverId: string, uri: string, options: McpRequestOptions): Promise<ResourcePart[]> {
    const updates = this.#updates;
    const contents = await this.#options.read(serverId, uri, options);
    // Contents requested before an update may be the old ones.
    if (updates === this.#updates) this.#cache(getKey(serverId, uri), contents);
    return contents;
  }

  #cache(key: string, contents: ResourcePart[]): void {
    this.#drop(key);
    const size = contents.reduce((sum, part) => sum + getSize(part), 0);
    if (size > MAX_CHARACTERS / 8) return;
    this.#contents.set(key, { contents, size, until: this.#options.clock.monotonic() + LIFETIME_MS });
    this.#size += size;
    for (const oldest of this.#contents.keys()) {
      if (this.#contents.size <= MAX_CONTENTS && this.#size <= MAX_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#contents.get(key)?.size ?? 0;
    this.#contents.delete(key);
  }

  /**
   * Subscribes `listener` to changes of this resource, across reconnects; the returned function unsubscribes. A server
   * without subscriptions never calls it. Resolves when the server has confirmed.
   *
   * @throws ToolyardError if the server rejects the subscription
   */
  async follow(serverId: string, uri: string, listener: () => void): Promise<() => Promise<void>> {
    const onUpdate = (server: string, changed: string): void => {
      if (server === serverId && changed === uri) listener();
    };
    this.#listeners.add(onUpdate);
    const counts = this.#followed.get(serverId) ?? new Map<string, number>();
    this.#followed.set(serverId, counts);
    const before = counts.get(uri) ?? 0;
    counts.set(uri, before + 1);
    const end = async (): Promise<void> => {
      if (!this.#listeners.delete(onUpdate)) return;
      const remaining = (counts.get(uri) ?? 1) - 1;
      if (remaining > 0) return void counts.set(uri, remaining);
      counts.delete(uri);
      await this.#options.follow(serverId, new Set(counts.keys()), [], [uri]).catch(() => undefined);
    };
    try {
      if (before === 0) await this.#options.follow(serverId, new Set(counts.keys()), [uri], []);
    } catch (thrown) {
      await end();
      throw thrown;
    }
    return end;
  }

  /** Subscribes again on a new connection. @returns the error, if one failed */
  async resubscribe(serverId: string): Promise<ErrorInfo | undefined> {
    const uris = [...(this.#followed.get(serverId)?.keys() ?? [])];
    if (uris.length === 0) return undefined;
    try {
      await this.#options.follow(serverId, new Set(uris), uris, []);
    } catch (thrown) {
      return toErrorInfo(thrown);
    }
    // Changes may have been missed while disconnected.
    for (const uri of uris) this.updated(serverId, uri);
    return undefined;
  }

  /** Notifies the subscribers of a resource that changed. */
  updated(serverId: string, uri: string): void {
    const key = getKey(serverId, uri);
    this.#updates += 1;
    this.#drop(key);
    // Readers after the update must not join a read from before it.
    this.#reading.delete(key);
    if (this.#followed.get(serverId)?.has(uri) !== true) return;
    const waiting = this.#updated.get(serverId);
    if (waiting) return void waiting.add(uri);
    this.#updated.set(serverId, new Set([uri]));
    this.#options.clock.after(SERVER_LIMITS.updatesMs, () => this.#announce(serverId));
  }

  #announce(serverId: string): void {
    const uris = this.#updated.get(serverId) ?? [];
    this.#updated.delete(serverId);
    for (const uri of uris) for (const listener of this.#listeners) listener(serverId, uri);
  }

  /** Drops the cached contents of a server; subscriptions stay, should it return. */
  forget(serverId: string): void {
    for (const key of [...this.#contents.keys()]) if (key.startsWith(`${serverId}/`)) this.#drop(key);
  }

  /** Drops all contents and subscriptions. */
  clear(): void {
    this.#contents.clear();
    this.#size = 0;
    this.#followed.clear();
    this.#updated.clear();
    this.#listeners.clear();
  }
}

function getKey(serverId: string, uri: string): string {
  // Server ids contain no slash.
  return `${serverId}/${uri}`;
}

function getSize({ text, source }: ResourcePart): number {
  return (text?.length ?? 0) + (source !== undefined && 'data' in source ? source.data.length : 0);
}
