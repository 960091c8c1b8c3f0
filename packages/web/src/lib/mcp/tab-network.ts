import type { OpenWebSocket } from '@toolyard/mcp-host';
import type { Fetch } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { DeferredSocket } from './deferred-socket.ts';
import type { FromNetwork, ToNetwork } from './tab-network-messages.ts';

/** Network access beyond the page's own server. */
export type TabNetwork = { fetch: Fetch; openWebSocket: OpenWebSocket };

type Pending = {
  answer(response: Response): void;
  fail(error: Error): void;
  body?: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
};

/** Uses a worker, started with the first request; its module explains why. */
export function openTabNetwork(
  start: () => Worker = () => new Worker(new URL('./tab-network-worker.ts', import.meta.url), { type: 'module' }),
): TabNetwork {
  const pending = new Map<number, Pending>();
  const sockets = new Map<number, DeferredSocket>();
  let worker: Worker | undefined;
  let last = 0;

  function post(word: ToNetwork, transfer: Transferable[] = []): void {
    worker ??= listen(start());
    worker.postMessage(word, transfer);
  }

  function listen(started: Worker): Worker {
    started.addEventListener('message', ({ data }: MessageEvent<FromNetwork>) => receive(data));
    started.addEventListener('error', () => {
      // Loading failed: the next request tries again.
      worker = undefined;
      for (const [id, one] of pending)
        receive({ type: 'failed', id, message: 'The network worker of this page could not be loaded.' }, one);
      for (const socket of sockets.values()) socket.ended();
    });
    return started;
  }

  function receive(word: FromNetwork, one = pending.get(word.id)): void {
    switch (word.type) {
      case 'response':
        return one?.answer(toResponse(word, one));
      case 'chunk':
        return one?.body?.enqueue(word.bytes);
      case 'end':
        pending.delete(word.id);
        return one?.body?.close();
      case 'failed':
        pending.delete(word.id);
        one?.fail(new TypeError(word.message));
        return one?.body?.error(new TypeError(word.message));
      case 'opened':
        return sockets.get(word.id)?.opened(word.protocol);
      case 'received':
        return sockets.get(word.id)?.received(word.data);
      case 'closed':
        sockets.get(word.id)?.ended(word.code);
        sockets.delete(word.id);
    }
  }

  function toResponse(
    { id, status, statusText, headers, url, hasBody }: Extract<FromNetwork, { type: 'response' }>,
    one: Pending,
  ): Response {
    if (!hasBody) pending.delete(id);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (one.body = controller),
      pull: () => post({ type: 'pull', id }),
      cancel: () => {
        pending.delete(id);
        post({ type: 'abort', id });
      },
    });
    const response = new Response(hasBody && ![204, 205, 304].includes(status) ? body : null, {
      status,
      statusText,
      headers,
    });
    Object.defineProperty(response, 'url', { value: url });
    return response;
  }

  const fetch: Fetch = async (input, init = {}) => {
    const { signal } = init;
    signal?.throwIfAborted();
    const request = new Request(input, { ...init, signal: null });
    const body = request.body === null && init.body == null ? null : await request.arrayBuffer();
    signal?.throwIfAborted();
    const id = ++last;
    return new Promise<Response>((resolve, reject) => {
      const stop = (): void => {
        const error = signal?.reason instanceof Error ? signal.reason : new DOMException('Aborted', 'AbortError');
        const one = pending.get(id);
        pending.delete(id);
        one?.body?.error(error);
        reject(error);
        post({ type: 'abort', id });
      };
      signal?.addEventListener('abort', stop, { once: true });
      pending.set(id, { answer: resolve, fail: reject });
      const headers: [string, string][] = [...request.headers];
      post({ type: 'fetch', id, url: request.url, method: request.method, headers, body }, body === null ? [] : [body]);
    });
  };

  const openWebSocket: OpenWebSocket = (url, { protocols, headers }) => {
    if (Object.keys(headers).length > 0) {
      throw new ToolyardError({
        code: 'bad_config',
        message: say`Browsers cannot send headers with a WebSocket.`,
        hint: 'Connect through the proxy, or remove the headers.',
      });
    }
    const id = ++last;
    const later = new DeferredSocket();
    sockets.set(id, later);
    later.attach({
      send: (text) => post({ type: 'send', id, text }),
      close: (code) => post({ type: 'close', id, ...defined({ code }) }),
    });
    post({ type: 'open', id, url: url.href, protocols });
    return later;
  };

  return { fetch, openWebSocket };
}
