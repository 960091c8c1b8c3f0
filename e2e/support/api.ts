import { createParser } from 'eventsource-parser';
import type { RunEvent } from '@toolyard/protocol';

/** The API of a server under test; throws with the server's own words where it refuses. */
export async function call<T>(url: string, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/**
 * Reads the events of a run as a browser does: from the last id it saw, over any number of lives of the server. Gives
 * what was read when the stream ended, whether by the run's end or the server's.
 */
export async function readRun(
  url: string,
  runId: string,
  seen: RunEvent[],
  onEvent: (event: RunEvent) => void = () => {},
): Promise<'over' | 'cut'> {
  const after = seen.at(-1)?.seq ?? 0;
  let over = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      over ||= event === 'end';
      if (event !== 'run') return;
      const read = JSON.parse(data) as RunEvent;
      seen.push(read);
      onEvent(read);
    },
  });
  try {
    const response = await fetch(`${url}/api/runs/${runId}/events`, { headers: { 'last-event-id': String(after) } });
    if (response.status === 204) return 'over';
    const decoder = new TextDecoder();
    const body = response.body as AsyncIterable<Uint8Array> | null;
    for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch {
    return 'cut';
  }
  return over ? 'over' : 'cut';
}
