import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Clock, Principal } from '@toolyard/protocol';
import { createLogOnce } from '../../log-once.ts';
import { CHECK_EVERY_MS, endIfInvalid } from '../auth/watch-credential.ts';
import type { AppContext } from '../types.ts';

/** One server-sent event. `id` is what a client sends when it reconnects; if absent, the previous id stays valid. */
export type Frame = {
  event: string;
  id?: string;
  /** One line of JSON. */
  json: string;
};

/** Comments keep proxies from closing an idle stream, and detect clients that have disconnected. */
const PING_EVERY_MS = CHECK_EVERY_MS;
/** How long a browser waits before it reconnects. */
const RETRY_MS = 1_000;
/** A client that reads nothing for this long is disconnected. */
const STALLED_AFTER_MS = 60_000;

type Batches<Batch> = AsyncIterable<Batch> | Promise<AsyncIterable<Batch> | null>;

/** The open streams, so that a stopping server can end them. */
export type EventStreams = {
  /**
   * Responds with the frames of each batch in one write, until the batches end, the client disconnects, its session ends
   * or the server stops; the signal is aborted in the latter three cases. Requests no further batch while the client has
   * not read the last one.
   */
  answer<Batch>(
    c: AppContext,
    principal: Principal,
    batches: (signal: AbortSignal) => Batches<Batch>,
    toFrames: (batch: Batch) => readonly Frame[],
  ): Response;
  /** Calls `work` with a signal that is aborted when the client disconnects, its session ends or the server stops. */
  whileConnected<T>(c: AppContext, principal: Principal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends all streams; new ones end at once. */
  close(): void;
  /** True once the server stops: streams end although clients are connected. */
  readonly closing: boolean;
};

export function createEventStreams(
  clock: Pick<Clock, 'after'>,
  log: (line: string) => void,
  isStillValid: (principal: Principal) => Promise<boolean>,
): EventStreams {
  const open = new Set<AbortController>();
  // If the database is unreachable, every stream fails, again after each reconnect.
  const logFailures = createLogOnce(log);
  let closing = false;

  async function run<Batch>(
    outgoing: ServerResponse,
    principal: Principal,
    batches: (signal: AbortSignal) => Batches<Batch>,
    toFrames: (batch: Batch) => readonly Frame[],
  ): Promise<void> {
    const control = new AbortController();
    const { signal } = control;
    const end = (): void => control.abort();
    outgoing.on('close', end);
    open.add(control);
    if (closing) end();
    // Ending or expiry of the session ends its streams too.
    const stopPings = keepAlive(outgoing, clock, () => void endIfInvalid(isStillValid, principal, end));
    try {
      if (!signal.aborted) {
        for await (const batch of (await batches(signal)) ?? []) {
          if (signal.aborted) break;
          logFailures.worked();
          const taken = outgoing.write(toFrames(batch).map(encodeFrame).join(''));
          if (!taken && !(await drained(outgoing, signal, clock))) break;
        }
      }
    } catch (error) {
      if (!signal.aborted) logFailures.failed('event stream', error);
    } finally {
      stopPings();
      open.delete(control);
      outgoing.off('close', end);
      if (!outgoing.destroyed) outgoing.end(closing ? ': the server is stopping\n\n' : undefined);
    }
  }

  return {
    answer(c, principal, batches, toFrames) {
      const { incoming, outgoing } = c.env;
      outgoing.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      if (incoming.method === 'HEAD') {
        outgoing.end();
      } else {
        incoming.socket.setNoDelay(true);
        // Sends the headers as well, so that the client knows at once that it is connected.
        outgoing.write(`retry: ${RETRY_MS}\n\n`);
        void run(outgoing, principal, batches, toFrames);
      }
      return RESPONSE_ALREADY_SENT;
    },
    async whileConnected(c, principal, work) {
      const control = new AbortController();
      const end = (): void => control.abort();
      const { outgoing } = c.env;
      outgoing.on('close', end);
      open.add(control);
      if (closing) end();
      let stop = clock.after(CHECK_EVERY_MS, check);
      function check(): void {
        void endIfInvalid(isStillValid, principal, end);
        stop = clock.after(CHECK_EVERY_MS, check);
      }
      try {
        return await work(control.signal);
      } finally {
        stop();
        open.delete(control);
        outgoing.off('close', end);
      }
    },
    get closing() {
      return closing;
    },
    close() {
      closing = true;
      for (const control of open) control.abort();
    },
  };
}

/** Removes line breaks: in a name or an id they would start another field or event. */
export function encodeFrame({ event, id, json }: Frame): string {
  const idLine = id === undefined ? '' : `id: ${oneLine(id)}\n`;
  return `${idLine}event: ${oneLine(event)}\ndata: ${oneLine(json)}\n\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '');
}

function keepAlive(outgoing: ServerResponse, clock: Pick<Clock, 'after'>, onPing: () => void): () => void {
  let stop = clock.after(PING_EVERY_MS, ping);
  function ping(): void {
    if (!outgoing.writableNeedDrain) outgoing.write(': ping\n\n');
    onPing();
    stop = clock.after(PING_EVERY_MS, ping);
  }
  return () => stop();
}

/** False if the client did not read in time; its connection is closed then. */
function drained(outgoing: ServerResponse, signal: AbortSignal, clock: Pick<Clock, 'after'>): Promise<boolean> {
  return new Promise((resolve) => {
    const callOff = clock.after(STALLED_AFTER_MS, () => {
      outgoing.destroy();
      settle(false);
    });
    const onDrain = (): void => settle(true);
    const onAbort = (): void => settle(false);
    function settle(answer: boolean): void {
      callOff();
      outgoing.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    }
    outgoing.once('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) settle(false);
  });
}
