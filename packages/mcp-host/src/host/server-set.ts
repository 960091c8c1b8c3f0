import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { readConcurrency } from './concurrency.ts';
import type { NumberedEntry } from '../log/server-log.ts';
import type { Place } from './server-place.ts';
import type { ServerSlot } from './server-slot.ts';
import type { ServerConfig, ServerHealth } from '../types.ts';
import type { WireEntry } from '../log/wire-log.ts';

/** The servers of a host, in the configured order, and who wants to hear of their changes. */
export class ServerSet {
  readonly #clock: Clock;
  readonly #makePlace: (config: ServerConfig, after: Promise<unknown>) => Place;
  readonly #places = new Map<string, Place>();
  /** Servers that were removed and are still being left. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #listeners = new Set<(serverId: string) => void>();

  constructor(clock: Clock, makePlace: (config: ServerConfig, after: Promise<unknown>) => Place) {
    this.#clock = clock;
    this.#makePlace = makePlace;
  }

  get all(): ServerSlot[] {
    return [...this.#places.values()].map(({ slot }) => slot);
  }

  find(id: string): ServerSlot | undefined {
    return this.#places.get(id)?.slot;
  }

  /** @throws ToolyardError `not_found` */
  get(id: string): ServerSlot {
    const slot = this.find(id);
    if (slot === undefined) throw new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
    return slot;
  }

  log(id: string): NumberedEntry[] {
    return this.#places.get(id)?.log.numbered() ?? [];
  }

  wireLog(id: string): WireEntry[] {
    return this.#places.get(id)?.wire.entries() ?? [];
  }

  /** @throws ToolyardError `bad_config` for its id, or for limits of calls that are none */
  add(config: ServerConfig): void {
    checkId(config.id, this.#places);
    readConcurrency(config, `The server "${config.id}"`);
    this.#places.set(config.id, this.#makePlace(config, Promise.resolve()));
  }

  async remove(id: string): Promise<void> {
    const slot = this.find(id);
    if (slot === undefined) return;
    this.#places.delete(id);
    const left = this.#leave(slot);
    this.tell(id);
    await left;
  }

  /** Puts a server in the place of the one with its id, where it begins when nothing of that is left. */
  replace(config: ServerConfig): void {
    const { id } = config;
    readConcurrency(config, `The server "${id}"`);
    const left = this.#leave(this.get(id));
    this.#places.set(id, this.#makePlace(config, left));
    this.tell(id);
  }

  #leave(slot: ServerSlot): Promise<void> {
    const left = slot.disconnect();
    this.#leaving.add(left);
    return left.finally(() => this.#leaving.delete(left));
  }

  /** A listener may be given twice and then stands for two. */
  onChange(listener: (serverId: string) => void): () => void {
    const entry = (serverId: string): void => listener(serverId);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tell(serverId: string): void {
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
    await Promise.allSettled([...this.all.map((slot) => slot.disconnect()), ...this.#leaving]);
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
