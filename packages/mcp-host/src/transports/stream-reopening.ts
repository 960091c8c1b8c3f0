import type { Fetch } from '@toolyard/protocol';
import { networkCodeOf } from './network-error.ts';
import type { TransportContext } from './transport.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After so many streams in a row that carried nothing, none is opened any more. */
const MOST_BARREN_STREAMS = 10;

export type Reopening = {
  /** Goes in place of the transport's own, to see what its streams carry. */
  fetch: Fetch;
  /** Calls `reopen` when it is time for it, or never; what is returned calls that off. */
  schedule: (reopen: () => void, delayMs: number, attempt: number) => () => void;
};

export type ReopeningEvents = {
  /** A stream stands, the first or one in place of one that ended; what was announced before is lost. */
  onOpened: (isFirst: boolean) => void;
  /** A stream that stood cannot be had back: nobody is there, or nobody who knows us. */
  onGone: (detail: string) => void;
};

/** How often the transport is to try to have a stream back. */
export const MAX_REOPENINGS = 2;

/**
 * When a stream that a server has ended may be opened again. A stream that carried something is opened when the server
 * wants it to be. A server that accepts and at once ends a stream would be asked for ever, since each opening counts
 * as a success: waits for such ones grow, and end.
 */
export function createReopening(
  fetch: Fetch,
  context: TransportContext,
  { onOpened, onGone }: ReopeningEvents,
): Reopening {
  let barren = 0;
  let isFirst = true;
  let isLastTry = false;

  const tried: Fetch = async (input, init) => {
    try {
      const response = await fetch(input, init);
      // Restarted servers have forgotten the session: 404 by the book, 400 by many that are in use.
      const isForgotten = response.status === 404 || response.status === 400;
      if (isLastTry && isForgotten && !isFirst) onGone(`HTTP ${response.status}`);
      return response;
    } catch (thrown) {
      const network = networkCodeOf(thrown);
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
        if (isStream) barren = 0;
        controller.enqueue(chunk);
      },
    });
    barren++;
    // One that goes on where another ended tells what was missed; a fresh one does not.
    if (!new Headers(init.headers).has('last-event-id')) onOpened(isFirst);
    isFirst = false;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(watch), { status, statusText, headers });
  };

  return {
    fetch: watched,
    schedule(reopen, delayMs, attempt) {
      if (barren >= MOST_BARREN_STREAMS) {
        context.log('warning', 'The server keeps ending the stream for its announcements; it is no longer asked for.');
        return () => undefined;
      }
      const wait = barren <= 1 ? delayMs : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (barren - 1));
      return context.clock.after(Math.max(wait, delayMs), () => {
        isLastTry = attempt + 1 >= MAX_REOPENINGS;
        reopen();
      });
    },
  };
}
