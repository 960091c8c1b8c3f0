import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { readConcurrency } from './concurrency.ts';
import type { ManagedServer } from './managed-server.ts';
import type { ServerConfig, ServerHealth } from '../types.ts';

/** The configured servers of a host, in order, and the listeners to their changes. */
export class ServerRegistry {
  readonly #clock: Clock;
  readonly #make: (config: ServerConfig, after: Promise<unknown>) => ManagedServer;
  readonly #entries = new Map<string, ManagedServer>();
  /** Servers that were removed and are still being left. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #listeners = new Set<(serverId: string) => void>();
  /** Grows with every change of a server: what was derived from them is valid until then. */
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
    if (entry === undefined) throw new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
    return entry;
  }

  /** @throws ToolyardError `bad_config` for its id, or for limits of calls that are none */
  add(config: ServerConfig): void {
    checkId(config.id, this.#entries);
    readConcurrency(config, `The server "${config.id}"`);
    this.#entries.set(config.id, this.#make(config, Promise.resolve()));
  }

  async remove(id: string): Promise<void> {
    const entry = this.find(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    const left = this.#leave(entry);
    this.tell(id);
    await left;
  }

  /** Puts a server in the place of the one with its id, where it begins when nothing of that is left. */
  replace(config: ServerConfig): void {
    const { id } = config;
    readConcurrency(config, `The server "${id}"`);
    const left = this.#leave(this.get(id));
    this.#entries.set(id, this.#make(config, left));
    this.tell(id);
  }

  #leave(entry: ManagedServer): Promise<void> {
    const left = entry.disconnect();
    this.#leaving.add(left);
    return left.finally(() => this.#leaving.delete(left));
  }

  /** A listener may be given twice and then stands for two. */
  onChange(listener: (serverId: string) => void): () => void {
    const told = (serverId: string): void => listener(serverId);
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  }

  tell(serverId: string): void {
    this.changes++;
    for (const listener of this.#listeners) listener(serverId);
  }

  /** Resolves when none of these is connecting any more, after `ms`, or when the signal is aborted. */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    const ids = [...serverIds];
    await this.when(() => !ids.some((id) => this.find(id)?.isConnecting === true), signal, ms);
  }

  /** Resolves when it is so, which is looked at after every change; after `ms`, or when the signal is aborted. */
  async when(isSo: () => boolean, signal: AbortSignal | undefined, ms: number): Promise<void> {
    if (isSo() || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        stopHearing();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const callOff = this.#clock.after(ms, end);
      const stopHearing = this.onChange(() => {
        if (isSo()) end();
      });
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Leaves all of them at once, also those that were removed. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.all.map((entry) => entry.disconnect()), ...this.#leaving]);
    this.#listeners.clear();
  }
}

function checkId(id: string, taken: ReadonlyMap<string, unknown>): void {
  const problem =
    id === '' ? 'is empty' : id.includes('/') ? 'has a slash in it' : taken.has(id) ? 'is used twice' : null;
  if (problem === null) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The server id "${id}" ${problem}.`,
    hint: 'Give every server an id of its own, without slashes.',
  });
}

/** True unless resources or prompts of a ready server are still to come. */
export function isListed(health: ServerHealth | undefined): boolean {
  if (health?.state !== 'ready') return true;
  const { capabilities, resourceCount, promptCount } = health;
  const isMissing = (is: boolean | undefined, count: number | undefined): boolean => is === true && count === undefined;
  return !isMissing(capabilities?.resources, resourceCount) && !isMissing(capabilities?.prompts, promptCount);
}
