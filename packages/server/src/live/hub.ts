import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { LiveHub } from '../services.ts';

type Receive<T> = (events: readonly T[]) => void;
/** `missed`: events may have been lost; they are in the store. */
type Listener<T> = { receive: Receive<T>; missed: () => void };

/** A {@link LiveHub} with the methods that streams use. */
export type RunHub = LiveHub & {
  listen(ownerId: string, listener: Listener<LiveEvent>): () => void;
  listenToRun(ownerId: string, runId: string, listener: Listener<RunEvent>): () => void;
  /** True if the run has subscribers in this process. */
  hasSubscribers(ownerId: string, runId: string): boolean;
  /** Makes all subscribers read from the store. */
  missed(): void;
};

/** Publishes events to subscribers in this process; stores nothing. */
export function createLiveHub(): RunHub {
  const owners = new Listeners<LiveEvent>();
  const runs = new Listeners<RunEvent>();
  return {
    listen: (ownerId, listener) => owners.add(ownerId, listener),
    listenToRun: (ownerId, runId, listener) => runs.add(getKey(ownerId, runId), listener),
    hasSubscribers: (ownerId, runId) => owners.has(ownerId) || runs.has(getKey(ownerId, runId)),
    missed() {
      owners.missed();
      runs.missed();
    },
    runEvents(ownerId, events) {
      const [first] = events;
      if (!first) return;
      runs.publish(getKey(ownerId, first.runId), events);
      if (owners.has(ownerId)) owners.publish(ownerId, events.map(toLiveEvent));
    },
    changed(ownerId, what, id) {
      const event: LiveEvent = { type: 'changed', what, ...defined({ id }) };
      if (ownerId === null) owners.publishToAll([event]);
      else owners.publish(ownerId, [event]);
    },
  };
}

/** The live form of a run's event. */
export function toLiveEvent(event: RunEvent): LiveEvent {
  return { type: 'run', event };
}

/**
 * Recently encoded events. Not a WeakMap: with thousands of events a second its entries dominate garbage collection
 * pauses. Small, because readers take an event within milliseconds, and what is kept longer survives collections.
 */
const texts = new Map<RunEvent, string>();
let characters = 0;
const MOST_CHARACTERS = 50_000;

/** The JSON of an event, encoded once for concurrent readers. */
export function eventJson(event: RunEvent | LiveEvent): string {
  if (event.type === 'run') return `{"type":"run","event":${eventJson(event.event)}}`;
  if (event.type === 'hello' || event.type === 'changed') return JSON.stringify(event);
  let text = texts.get(event);
  if (text === undefined) {
    text = JSON.stringify(event);
    if (characters + text.length > MOST_CHARACTERS) {
      texts.clear();
      characters = 0;
    }
    characters += text.length;
    texts.set(event, text);
  }
  return text;
}

function getKey(ownerId: string, runId: string): string {
  return JSON.stringify([ownerId, runId]);
}

class Listeners<T> {
  readonly #byKey = new Map<string, Set<Listener<T>>>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  add(key: string, listener: Listener<T>): () => void {
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  publish(key: string, events: readonly T[]): void {
    for (const { receive } of this.#byKey.get(key) ?? []) receive(events);
  }

  missed(): void {
    for (const listeners of this.#byKey.values()) for (const { missed } of listeners) missed();
  }

  publishToAll(events: readonly T[]): void {
    for (const key of [...this.#byKey.keys()]) this.publish(key, events);
  }
}
