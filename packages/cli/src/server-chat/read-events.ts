import { createParser } from 'eventsource-parser';
import type { Clock, JsonValue, RunEvent } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';

/** The server sends a comment every 15 s; close a connection that misses three. */
const SILENCE_TIMEOUT_MS = 45_000;

/**
 * Streams the events of a run after sequence number `after`, until the connection ends.
 *
 * @throws ServerUnreachable if the connection breaks; ToolyardError for an error response
 */
export async function* readEvents(
  client: ServerClient,
  runId: string,
  { after, clock, signal, onOpen }: { after: number; clock: Clock; signal: AbortSignal; onOpen: () => void },
): AsyncGenerator<RunEvent, undefined> {
  const connection = new AbortController();
  const stop = (): void => connection.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let clearTimer = clock.after(SILENCE_TIMEOUT_MS, stop);
  const resetTimer = (): void => {
    clearTimer();
    clearTimer = clock.after(SILENCE_TIMEOUT_MS, stop);
  };
  try {
    const response = await client.open(`/api/runs/${encodeURIComponent(runId)}/events`, {
      signal: connection.signal,
      headers: { 'last-event-id': String(after), accept: 'text/event-stream' },
    });
    onOpen();
    const events: RunEvent[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const parsed = event === 'run' ? parseJson(data) : null;
        if (parsed?.ok && isRunEvent(parsed.value)) events.push(parsed.value);
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of readBody(response, client.url)) {
      resetTimer();
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    clearTimer();
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function* readBody(response: Response, url: string): AsyncGenerator<Uint8Array> {
  try {
    // The DOM types lack the async iterator of ReadableStream.
    yield* (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ServerUnreachable(
      { code: 'stream_broken', message: `The connection to the Toolyard server at ${url} broke.` },
      { cause },
    );
  }
}

/** Checks only the discriminating fields: client and server share the type. */
function isRunEvent(value: JsonValue): value is JsonValue & RunEvent {
  return isJsonObject(value) && typeof value['seq'] === 'number' && typeof value['type'] === 'string';
}
