import { createParser } from 'eventsource-parser';
import type { RunEvent } from '@toolyard/protocol';
import { within } from '@toolyard/testing';

/** Maximum time without an event in the stream of a run, in milliseconds. */
const NO_EVENT_MS = 60_000;

/** The access tokens of servers under test, by URL. */
const accessTokens = new Map<string, string>();

/** Requests of the test to this URL are signed in from now on; null forgets the token. */
export function useAccessToken(url: string, token: string | null): void {
  if (token === null) accessTokens.delete(url);
  else accessTokens.set(url, token);
}

/** The headers that sign in a request of the test to this server; none if it needs none. */
export function signedIn(url: string, token = accessTokens.get(url)): { authorization?: string } {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The API of a server under test; throws with the server's error message. */
export async function call<T>(url: string, method: string, path: string, body?: object, token?: string): Promise<T> {
  const sent = fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...signedIn(url, token),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const what = `the answer to ${method} ${url}${path}`;
  const response = await within(sent, { what });
  const text = await within(response.text(), { what });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/**
 * Reads the events of a run as a browser does: from the last id received, across restarts of the server. Returns the
 * events when the stream ends, by the end of the run or of the server. Throws after a minute without an event.
 */
export async function readRun(
  url: string,
  runId: string,
  seen: RunEvent[],
  onEvent: (event: RunEvent) => void = () => {},
): Promise<'over' | 'cut'> {
  const after = seen.at(-1)?.seq ?? 0;
  let over = false;
  let lastEventAt = performance.now();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      over ||= event === 'end';
      if (event !== 'run') return;
      lastEventAt = performance.now();
      const read = JSON.parse(data) as RunEvent;
      seen.push(read);
      onEvent(read);
    },
  });
  const headers = { 'last-event-id': String(after), ...signedIn(url) };
  const what = (): string => `an event of run ${runId} at ${url} after ${describeLast(seen)}`;
  const next = async <T>(promise: Promise<T>): Promise<T | 'cut'> => {
    // A lost connection; any other error is thrown.
    const settled = promise.catch(() => 'cut' as const);
    return within(settled, { what: what(), timeoutMs: lastEventAt + NO_EVENT_MS - performance.now() });
  };

  const response = await next(fetch(`${url}/api/runs/${runId}/events`, { headers }));
  if (response === 'cut') return 'cut';
  if (response.status === 204) return 'over';
  const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null;
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const chunk = reader ? await next(reader.read()) : { done: true as const };
    if (chunk === 'cut') return 'cut';
    if (chunk.done) return over ? 'over' : 'cut';
    parser.feed(decoder.decode(chunk.value, { stream: true }));
  }
}

function describeLast(events: readonly RunEvent[]): string {
  const last = events.at(-1);
  return last ? `${last.type} (${last.seq})` : 'none';
}
