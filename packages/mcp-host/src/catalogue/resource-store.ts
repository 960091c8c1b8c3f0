import type { Clock, ErrorInfo, ResourcePart } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { OfferCatalogue } from './catalogue.ts';
import type { ListedResource, ListedTemplate, McpRequestOptions } from '../types.ts';

/** Contents are kept so long, unless the server says that they have changed. Milliseconds. */
const LIFETIME_MS = 5 * 60_000;
const MOST_CONTENTS = 200;
/** In characters, all contents together; one that is larger than an eighth of it is not kept. */
const MOST_CHARACTERS = 16 * 1_024 * 1_024;

export type ResourceStoreOptions = {
  clock: Clock;
  catalogue(serverId: string): OfferCatalogue | undefined;
  read(serverId: string, uri: string, options: McpRequestOptions): Promise<ResourcePart[]>;
  /** Tells the server which resources are followed from now on. */
  follow(serverId: string, wanted: ReadonlySet<string>, added: string[], removed: string[]): Promise<void>;
};

type Kept = { contents: ResourcePart[]; size: number; until: number };

/** The resources of all servers: what is listed, contents read lately, and which of them are followed. */
export class ResourceStore {
  readonly #options: ResourceStoreOptions;
  /** Oldest use first. */
  readonly #contents = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<ResourcePart[]>>();
  readonly #followed = new Map<string, Map<string, number>>();
  readonly #listeners = new Set<(serverId: string, uri: string) => void>();
  #size = 0;

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

  /** What was read lately, or now; whoever wants the same at the same time waits for one reading. @throws ToolyardError */
  async read(
    serverId: string,
    uri: string,
    options: McpRequestOptions & { fresh?: boolean } = {},
  ): Promise<ResourcePart[]> {
    const key = keyOf(serverId, uri);
    const kept = this.#contents.get(key);
    if (kept !== undefined && options.fresh !== true && kept.until > this.#options.clock.monotonic()) {
      this.#contents.delete(key);
      this.#contents.set(key, kept);
      return kept.contents;
    }
    // One that can be stopped belongs to whoever stops it.
    if (options.signal !== undefined) return this.#readNow(serverId, uri, options);
    const reading = this.#reading.get(key) ?? this.#readNow(serverId, uri, options);
    this.#reading.set(key, reading);
    return reading.finally(() => this.#reading.delete(key));
  }

  async #readNow(serverId: string, uri: string, options: McpRequestOptions): Promise<ResourcePart[]> {
    const contents = await this.#options.read(serverId, uri, options);
    this.#keep(keyOf(serverId, uri), contents);
    return contents;
  }

  #keep(key: string, contents: ResourcePart[]): void {
    this.#drop(key);
    const size = contents.reduce((sum, part) => sum + sizeOf(part), 0);
    if (size > MOST_CHARACTERS / 8) return;
    this.#contents.set(key, { contents, size, until: this.#options.clock.monotonic() + LIFETIME_MS });
    this.#size += size;
    for (const oldest of this.#contents.keys()) {
      if (this.#contents.size <= MOST_CONTENTS && this.#size <= MOST_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#contents.get(key)?.size ?? 0;
    this.#contents.delete(key);
  }

  /**
   * Hears when this resource changes, also over a reconnect; what is returned ends that. A server that announces
   * nothing is simply never heard of. Resolves when the server has been told.
   *
   * @throws ToolyardError if the server refuses
   */
  async follow(serverId: string, uri: string, listener: () => void): Promise<() => Promise<void>> {
    const heard = (server: string, changed: string): void => {
      if (server === serverId && changed === uri) listener();
    };
    this.#listeners.add(heard);
    const counts = this.#followed.get(serverId) ?? new Map<string, number>();
    this.#followed.set(serverId, counts);
    const before = counts.get(uri) ?? 0;
    counts.set(uri, before + 1);
    const end = async (): Promise<void> => {
      if (!this.#listeners.delete(heard)) return;
      const left = (counts.get(uri) ?? 1) - 1;
      if (left > 0) return void counts.set(uri, left);
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

  /** A fresh connection knows of nothing that is followed. @returns what went wrong, if anything did */
  async followAnew(serverId: string): Promise<ErrorInfo | undefined> {
    const uris = [...(this.#followed.get(serverId)?.keys() ?? [])];
    if (uris.length === 0) return undefined;
    try {
      await this.#options.follow(serverId, new Set(uris), uris, []);
    } catch (thrown) {
      return toErrorInfo(thrown);
    }
    // What changed while nobody heard of it is read again.
    for (const uri of uris) this.updated(serverId, uri);
    return undefined;
  }

  /** The server says that this resource has changed. */
  updated(serverId: string, uri: string): void {
    this.#drop(keyOf(serverId, uri));
    for (const listener of this.#listeners) listener(serverId, uri);
  }

  /** Forgets what was read of a server; who follows something there still does, should it come back. */
  forget(serverId: string): void {
    for (const key of [...this.#contents.keys()]) if (key.startsWith(`${serverId}/`)) this.#drop(key);
  }

  /** Forgets all contents and everybody who follows something. */
  clear(): void {
    this.#contents.clear();
    this.#size = 0;
    this.#followed.clear();
    this.#listeners.clear();
  }
}

function keyOf(serverId: string, uri: string): string {
  // No id has a slash.
  return `${serverId}/${uri}`;
}

function sizeOf({ text, source }: ResourcePart): number {
  return (text?.length ?? 0) + (source !== undefined && 'data' in source ? source.data.length : 0);
}
