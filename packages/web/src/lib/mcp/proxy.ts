import type { CreateTransport } from '@toolyard/mcp-host';
import { createWebTransports } from '@toolyard/mcp-host';
import type { CreateProxyTicket, Fetch } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { api, ApiError } from '../api/client.ts';
import { problemFrom } from '../api/error.ts';
import { sessionFetch } from '../api/session-fetch.ts';

/** Prefix of headers that are meant for the server behind the proxy. */
const PREFIX = 'x-toolyard-proxy-header-';

/** A fetch through `/api/proxy`, for servers that reject browsers (CORS). */
export const fetchThroughProxy: Fetch = async (input, init = {}) => {
  const headers = new Headers();
  for (const [name, value] of new Headers(init.headers)) headers.set(PREFIX + name, value);
  const answer = await sessionFetch(`/api/proxy?url=${encodeURIComponent(String(input))}`, {
    ...init,
    headers,
  });
  // Errors of the proxy itself are marked: they are not responses of the server.
  if (answer.headers.get('x-toolyard-proxy') !== 'refused') return answer;
  const problem = problemFrom(answer.status, await answer.text());
  const detail = 'The proxy rejected the request without a reason.';
  throw toToolyardError(problem ?? new ApiError({ code: 'bad_response', status: answer.status, detail }));
};

/** An error with a hint for the user, instead of "cannot be reached". */
function toToolyardError({ code, message, hint, templates }: ApiError): ToolyardError {
  // A disabled proxy is not worth a retry.
  const lasting = code === 'not_found' ? 'bad_config' : code;
  const retryable = lasting === 'server_unreachable' || lasting === 'overloaded' || lasting === 'network';
  return new ToolyardError({ code: lasting, message, retryable, ...defined({ hint, templates }) });
}

/**
 * Transports through the proxy. A WebSocket needs a ticket that contains URL and headers, because a browser cannot send
 * headers with it; a ticket is valid for one attempt.
 */
export const createProxiedTransport: CreateTransport = async (config, context) => {
  if (config.type !== 'websocket') return overHttp(config, context);
  const { url: target, headers = {} } = config;
  const ticket = await createTicket({ target, headers });
  const address = new URL(`/api/proxy?ticket=${encodeURIComponent(ticket)}`, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const fetch = fetchThroughProxy;
  const over = createWebTransports({
    fetch,
    openWebSocket: (_url, { protocols }) => new WebSocket(address, protocols),
  });
  return over(config, context);
};

async function createTicket(request: CreateProxyTicket): Promise<string> {
  try {
    return (await api.post('/api/proxy/tickets', { body: request })).ticket;
  } catch (thrown) {
    throw thrown instanceof ApiError ? toToolyardError(thrown) : thrown;
  }
}

const overHttp = createWebTransports({ fetch: fetchThroughProxy });
