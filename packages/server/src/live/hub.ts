import type { LiveEvent, RunEvent } from '@toolyard/protocol';
import type { LiveHub } from '../services.ts';

type Listener<T> = (events: readonly T[]) => void;

/** A {@link LiveHub} that can also be asked for one run alone. */
export type RunHub = LiveHub & {
  subscribeRun(ownerId: string, runId: string, listener: Listener<RunEvent>): () => void;
};

/** Hands on what happens to whoever listens in this process; keeps nothing. */
export function createLiveHub(): RunHub {
  const owners = new Listeners<LiveEvent>();
  const runs = new Listeners<RunEvent>();
  return {
    subscribe: (ownerId, listener) => owners.add(ownerId, listener),
    subscribeRun: (ownerId, runId, listener) => runs.add(keyOf(ownerId, runId), listener),
    runEvents(ownerId, events) {
      const [first] = events;
      if (!first) return;
      if (runs.has(keyOf(ownerId, first.runId))) runs.tell(keyOf(ownerId, first.runId), events);
      if (owners.has(ownerId)) owners.tell(ownerId, events.map(asLive));
    },
    changed(ownerId, what, id) {
      const event: LiveEvent = { type: 'changed', what, ...(id === undefined ? {} : { id }) };
      if (ownerId === null) owners.tellAll([event]);
      else owners.tell(ownerId, [event]);
    },
  };
}

const liveEvents = new WeakMap<RunEvent, LiveEvent>();
const texts = new WeakMap<RunEvent | LiveEvent, string>();

/** The live form of a run's event: the same one for every reader, so that it is encoded once. */
export function asLive(event: RunEvent): LiveEvent {
  let live = liveEvents.get(event);
  if (!live) liveEvents.set(event, (live = { type: 'run', event }));
  return live;
}

/** The JSON of an event, encoded once however many read it. */
export function eventJson(event: RunEvent | LiveEvent): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = event.type === 'run' ? `{"type":"run","event":${eventJson(event.event)}}` : JSON.stringify(event);
    texts.set(event, text);
  }
  return text;
}

function keyOf(ownerId: string, runId: string): string {
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

  tell(key: string, events: readonly T[]): void {
    for (const listener of this.#byKey.get(key) ?? []) listener(events);
  }

  tellAll(events: readonly T[]): void {
    for (const key of [...this.#byKey.keys()]) this.tell(key, events);
  }
}
