import type { Clock } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { readConcurrency } from './concurrency.ts';
import type { ManagedServer } from './managed-server.ts';
import type { ServerConfig, ServerHealth } from '../types.ts';
import { createConfigError } from '../values/config-error.ts';

/** The configured servers of a host, in order, and the listeners to their changes. */
export class ServerRegistry {
  readonly #clock: Clock;
  readonly #make: (config: ServerConfig, after: Promise<unknown>) => ManagedServer;
  readonly #entries = new Map<string, ManagedServer>();
  /** Removed servers that are still being closed. */
  readonly #closing = new Set<Promise<void>>();
  readonly #listeners = new Set<(serverId: string) => void>();
  /** Increases with every change of a server; use it to invalidate derived data. */
  changes = 0;

  constructor(clock: Clock, make: (config: ServerConfig, after: Promise<unknown>) => ManagedServer) {
    this.#clock = clock;
    this.#make = make;
  }

  get all(): ManagedServer[] {
    return [...this.#entries.values()];
  }

  find(id: string): ManagedServer | undefined {
    return this.#entries.get(id);
  }

  /** @throws ToolyardError `not_found` */
  get(id: string): ManagedServer {
    const entry = this.find(id);
    if (entry === undefined) throw new ToolyardError({ code: 'not_found', message: say`There is no server "${id}".` });
    return entry;
  }

  /** @throws ToolyardError `bad_config` for an invalid id or concurrency limit */
  add(config: ServerConfig): void {
    checkId(config.id, this.#entries);
    readConcurrency(config, `The server "${config.id}"`);
    this.#entries.set(config.id, this.#make(config, Promise.resolve()));
  }

  async remove(id: string): Promise<void> {
    const entry = this.find(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    const closed = this.#close(entry);
    this.notify(id);
    await closed;
  }

  /** Replaces the server with this id; the new one starts after the old one is closed. */
  replace(config: ServerConfig): void {
    const { id } = config;
    readConcurrency(config, `The server "${id}"`);
    const closed = this.#close(this.get(id));
    this.#entries.set(id, this.#make(config, closed));
    this.notify(id);
  }

  #close(entry: ManagedServer): Promise<void> {
    const closed = entry.disconnect();
    this.#closing.add(closed);
    return closed.finally(() => this.#closing.delete(closed));
  }

  /** A listener added twice is called twice. */
  onChange(listener: (serverId: string) => void): () => void {
    const wrapped = (serverId: string): void => listener(serverId);
    this.#listeners.add(wrapped);
    return () => this.#listeners.delete(wrapped);
  }

  notify(serverId: string): void {
    this.changes++;
    for (const listener of this.#listeners) listener(serverId);
  }

  /**
   * Resolves when each of these servers is ready or an attempt to connect it has failed, after `ms`, or when the signal
   * is aborted. A server that reconnects is settled: its tools stay known.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    const ids = [...serverIds];
    await this.when(() => !ids.some((id) => this.find(id)?.stage === 'connecting'), signal, ms);
  }

  /** Resolves when the server neither connects nor reconnects, after `ms`, or when the signal is aborted. */
  async whenBack(id: string, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.when(() => this.find(id)?.isConnecting !== true, signal, ms);
  }

  /** Resolves when the condition holds, checked after every change; after `ms`, or when the signal is aborted. */
  async when(condition: () => boolean, signal: AbortSignal | undefined, ms: number): Promise<void> {
    if (condition() || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancelTimer();
        unsubscribe();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancelTimer = this.#clock.after(ms, end);
      const unsubscribe = this.onChange(() => {
        if (condition()) end();
      });
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Disconnects all servers in parallel, including removed ones. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.all.map((entry) => entry.disconnect()), ...this.#closing]);
    this.#listeners.clear();
  }
}

function checkId(id: string, existing: ReadonlyMap<string, unknown>): void {
  const message =
    id === ''
      ? say`The server id "${id}" is empty.`
      : id.includes('/')
        ? say`The server id "${id}" contains a slash.`
        : existing.has(id)
          ? say`The server id "${id}" is used twice.`
          : null;
  if (message === null) return;
  throw createConfigError(message, say`Give every server a unique id without slashes.`);
}

/** True unless resources or prompts of a ready server are still being listed. */
export function isListed(health: ServerHealth | undefined): boolean {
  if (health?.state !== 'ready') return true;
  const { capabilities, resourceCount, promptCount } = health;
  const isMissing = (is: boolean | undefined, count: number | undefined): boolean => is === true && count === undefined;
  return !isMissing(capabilities?.resources, resourceCount) && !isMissing(capabilities?.prompts, promptCount);
}
