import type { OpenWebSocket } from '@toolyard/mcp-host';
import type { Fetch } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { LaterSocket } from './later-socket.ts';

/** Stands before each header that is meant for the server behind the proxy. */
const PREFIX = 'x-toolyard-proxy-header-';

/** A fetch by way of `/api/proxy`, for servers that let no browser in. */
export const fetchThroughProxy: Fetch = async (input, init = {}) => {
  const headers = new Headers();
  for (const [name, value] of new Headers(init.headers)) headers.set(PREFIX + name, value);
  const answer = await fetch(`/api/proxy?url=${encodeURIComponent(String(input))}`, {
    ...init,
    headers,
    credentials: 'same-origin',
  });
  // The proxy's own refusals are marked: they are not what the server said.
  if (answer.headers.get('x-toolyard-proxy') !== 'refused') return answer;
  throw new TypeError(await reasonOf(answer));
};

async function reasonOf(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => null)) as { detail?: unknown } | null;
  return typeof problem?.detail === 'string' ? problem.detail : 'The proxy did not pass the request on.';
}

/** A WebSocket by way of the proxy; its ticket tells address and headers, which a browser can send no other way. */
export const openWebSocketThroughProxy: OpenWebSocket = (url, { protocols, headers }) => {
  const later = new LaterSocket();
  void api
    .post<{ ticket: string }>('/api/proxy/tickets', { target: url.href, headers })
    .then(({ ticket }) => {
      const address = new URL(`/api/proxy?ticket=${encodeURIComponent(ticket)}`, location.href);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      const socket = new WebSocket(address, protocols);
      socket.addEventListener('open', () => later.opened(socket.protocol));
      socket.addEventListener('message', ({ data }) => later.received(data));
      socket.addEventListener('close', ({ code }) => later.ended(code));
      later.attach(socket);
    })
    .catch(() => later.ended());
  return later;
};
