import { createParser } from 'eventsource-parser';

/** An event of a stream. `id`: value of Last-Event-ID after a lost connection. */
export type Streamed = { id: string; event: string; data: string };

const CONNECT_MS = 20_000;

/** Reads a stream until it ends or breaks, or until `leaving`. @throws the error of an error response */
export async function follow(
  of: { url: string; lastId: string | null; leaving: AbortSignal },
  onEvent: (streamed: Streamed) => void,
): Promise<void> {
  const { url, lastId, leaving } = of;
  const waiting = new AbortController();
  const giveUp = setTimeout(() => waiting.abort(), CONNECT_MS);
  const parser = createParser({
    onEvent: ({ id = '', event = '', data }) => onEvent({ id, event, data }),
  });
  let refusal: string | null = null;
  try {
    const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
    const response = await fetch(url, { headers, signal: AbortSignal.any([leaving, waiting.signal]) });
    clearTimeout(giveUp);
    if (response.status === 204) onEvent({ id: '', event: 'end', data: '' });
    else if (!response.ok) refusal = `${String(response.status)} ${await response.text()}`;
    else {
      const decoder = new TextDecoder();
      const body = response.body as AsyncIterable<Uint8Array> | null;
      for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    }
  } catch {
    // Cut: the caller continues at another process.
  } finally {
    clearTimeout(giveUp);
  }
  if (refusal !== null) throw new Error(refusal);
}
