import type { Fetch } from '@toolyard/protocol';
import { findNetworkCode } from './network-error.ts';
import type { TransportContext } from './transport.ts';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** After this many empty streams in a row none is reopened. */
const MAX_EMPTY_STREAMS = 10;

export type Reopening = {
  /** Replaces the fetch of the transport, to see what its streams carry. */
  fetch: Fetch;
  /** Calls `reopen` when it is due, or never; the returned function cancels it. */
  schedule: (reopen: () => void, delayMs: number, attempt: number) => () => void;
};

export type ReopeningEvents = {
  /** A stream was opened, for the first time or again; notifications before it may be lost. */
  onOpened: (isFirst: boolean) => void;
  /** A stream cannot be reopened: the server is unreachable or does not know the session. */
  onGone: (detail: string) => void;
};

/** How often the transport retries a stream. */
export const MAX_REOPENINGS = 2;

/**
 * Decides when a stream that the server ended is reopened. After events it is reopened when the server asks for it. A
 * server that ends streams at once would be asked forever, because each opening counts as a success; so waits for empty
 * streams grow, and end.
 */
export function createReopening(
  fetch: Fetch,
  context: TransportContext,
  { onOpened, onGone }: ReopeningEvents,
): Reopening {
  let emptyStreams = 0;
  let isFirst = true;
  let isLastTry = false;

  const tried: Fetch = async (input, init) => {
    try {
      const response = await fetch(input, init);
      // Restarted servers have forgotten the session: 404 by the specification, 400 on many servers in use.
      const isForgotten = response.status === 404 || response.status === 400;
      if (isLastTry && isForgotten && !isFirst) onGone(`HTTP ${response.status}`);
      return response;
    } catch (thrown) {
      const network = findNetworkCode(thrown);
      if (isLastTry && network !== undefined && !isFirst) onGone(network.code);
      throw thrown;
    }
  };

  const watched: Fetch = async (input, init) => {
    if (init?.method !== 'GET') return fetch(input, init);
    const response = await tried(input, init);
    if (!response.ok || response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (isStream) emptyStreams = 0;
        controller.enqueue(chunk);
      },
    });
    emptyStreams++;
    // A resumed stream replays what was missed; a new one does not.
    if (!new Headers(init.headers).has('last-event-id')) onOpened(isFirst);
    isFirst = false;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(watch), { status, statusText, headers });
  };

  return {
    fetch: watched,
    schedule(reopen, delayMs, attempt) {
      if (emptyStreams >= MAX_EMPTY_STREAMS) {
        context.log('warning', 'The server keeps ending its notification stream; Toolyard no longer reopens it.');
        return () => undefined;
      }
      const wait = emptyStreams <= 1 ? delayMs : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (emptyStreams - 1));
      return context.clock.after(Math.max(wait, delayMs), () => {
        isLastTry = attempt + 1 >= MAX_REOPENINGS;
        reopen();
      });
    },
  };
}
