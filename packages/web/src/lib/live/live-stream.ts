import type { LiveEvent } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';

/** One frame of the live stream: the event, and the cursor that continues after it (runs only). */
export type LiveFrame = { event: LiveEvent; cursor: string | null };

/** Parses a text/event-stream, however it is split into chunks. */
export class LiveFrameReader {
  #frames: LiveFrame[] = [];
  readonly #parser = createParser({ onEvent: (message) => this.#take(message) });

  /** The frames that this chunk completes. */
  read(chunk: string): LiveFrame[] {
    this.#frames = [];
    this.#parser.feed(chunk);
    return this.#frames;
  }

  #take({ data, id }: EventSourceMessage): void {
    const parsed = parseJson(data);
    if (parsed.ok && isLiveEvent(parsed.value)) this.#frames.push({ event: parsed.value, cursor: id ?? null });
  }
}

/** A newer server may send events that this page does not know; they are ignored. */
function isLiveEvent(value: unknown): value is LiveEvent {
  if (!isJsonObject(value)) return false;
  return (
    value['type'] === 'hello' ||
    value['type'] === 'changed' ||
    (value['type'] === 'run' && isJsonObject(value['event']))
  );
}
