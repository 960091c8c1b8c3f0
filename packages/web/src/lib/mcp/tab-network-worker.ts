/**
 * Sends requests to other servers for the page. The page's own policy (CSP) allows connections to its own server only,
 * so that no output of a model can exfiltrate data; this worker has a policy of its own.
 */
import type { FromNetwork, ToNetwork } from './tab-network-messages.ts';

const requests = new Map<number, AbortController>();
const bodies = new Map<number, ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>>();
const sockets = new Map<number, WebSocket>();

addEventListener('message', ({ data }: MessageEvent<ToNetwork>) => {
  const { id } = data;
  switch (data.type) {
    case 'fetch':
      return void request(data);
    case 'pull':
      return void sendChunk(id);
    case 'abort':
      requests.get(id)?.abort();
      return forget(id);
    case 'open':
      return open(id, data.url, data.protocols);
    case 'send':
      return sockets.get(id)?.send(data.text);
    case 'close':
      return sockets.get(id)?.close(...(data.code === undefined ? [] : [data.code]));
  }
});

async function request({ id, url, method, headers, body }: Extract<ToNetwork, { type: 'fetch' }>): Promise<void> {
  const control = new AbortController();
  requests.set(id, control);
  try {
    // No cookies, no referrer.
    const init = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' } as const;
    const response = await fetch(url, { ...init, method, headers, body, signal: control.signal });
    const { status, statusText } = response;
    if (response.body !== null) bodies.set(id, response.body.getReader());
    const hasBody = response.body !== null;
    post({ type: 'response', id, status, statusText, headers: [...response.headers], url: response.url, hasBody });
    if (!hasBody) forget(id);
  } catch (thrown) {
    fail(id, thrown);
  }
}

/** One chunk per pull: backpressure for slow readers. */
async function sendChunk(id: number): Promise<void> {
  try {
    const { done, value } = (await bodies.get(id)?.read()) ?? { done: true, value: undefined };
    if (value !== undefined) post({ type: 'chunk', id, bytes: value });
    if (!done) return;
    post({ type: 'end', id });
    forget(id);
  } catch (thrown) {
    fail(id, thrown);
  }
}

function open(id: number, url: string, protocols: string[]): void {
  try {
    const socket = new WebSocket(url, protocols);
    sockets.set(id, socket);
    socket.addEventListener('open', () => post({ type: 'opened', id, protocol: socket.protocol }));
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) =>
      post({ type: 'received', id, data: typeof data === 'string' ? data : null }),
    );
    socket.addEventListener('close', ({ code }) => {
      sockets.delete(id);
      post({ type: 'closed', id, code });
    });
  } catch {
    post({ type: 'closed', id, code: 1006 });
  }
}

function fail(id: number, thrown: unknown): void {
  post({ type: 'failed', id, message: thrown instanceof Error ? thrown.message : 'It failed.' });
  forget(id);
}

function forget(id: number): void {
  requests.delete(id);
  void bodies
    .get(id)
    ?.cancel()
    .catch(() => undefined);
  bodies.delete(id);
}

function post(message: FromNetwork): void {
  postMessage(message);
}
