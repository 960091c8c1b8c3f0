import { createParser } from 'eventsource-parser';
import type { Clock, JsonValue, RunEvent } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';

/** The server sends something every 15 seconds: a connection that is silent for so long is dead. */
const SILENT_FOR_MS = 45_000;

/**
 * The events of a run behind `after`, as they come, until the connection ends: with the run, or before.
 *
 * @throws ServerUnreachable where the connection breaks; ToolyardError where the server refuses
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
  let callOff = clock.after(SILENT_FOR_MS, stop);
  const alive = (): void => {
    callOff();
    callOff = clock.after(SILENT_FOR_MS, stop);
  };
  try {
    const response = await client.open(`/api/runs/${encodeURIComponent(runId)}/events`, {
      signal: connection.signal,
      headers: { 'last-event-id': String(after), accept: 'text/event-stream' },
    });
    onOpen();
    const came: RunEvent[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const parsed = event === 'run' ? parseJson(data) : null;
        if (parsed?.ok && isRunEvent(parsed.value)) came.push(parsed.value);
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of bodyOf(response, client.url)) {
      alive();
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* came.splice(0);
    }
  } finally {
    callOff();
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function* bodyOf(response: Response, url: string): AsyncGenerator<Uint8Array> {
  try {
    // Node's own streams can be iterated; the types of the web know nothing of it.
    yield* (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ServerUnreachable(
      { code: 'stream_broken', message: `The connection to the Toolyard server at ${url} broke.` },
      { cause },
    );
  }
}

/** The rest of it has the shape both sides share as types. */
function isRunEvent(value: JsonValue): value is JsonValue & RunEvent {
  return isJsonObject(value) && typeof value['seq'] === 'number' && typeof value['type'] === 'string';
}
