import type { Fetch } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { createHttpTransport } from '../transports/http-transport.ts';
import type { HostTransport, TransportContext } from '../transports/transport.ts';
import type { HostedConfig } from './hosted-config.ts';
import type { HostedServers } from './hosted-servers.ts';

/** What an address that has expired, or one nobody has signed in to, may be answered with. */
const SUSPICIOUS = new Set([401, 403, 404, 410]);

/**
 * Streamable HTTP to wherever the service has made the server. An address that has expired is found out when saying
 * hello, and another server made in its place.
 *
 * @throws ToolyardError if there is none to be had
 */
export async function createHostedTransport(
  config: HostedConfig,
  context: TransportContext,
  fetch: Fetch,
  servers: HostedServers,
): Promise<HostTransport> {
  const first = await servers.open(config, context);
  // Written as the SDK writes it when it asks.
  const address = new URL(first.url).href;
  let now = first;
  const follow: Fetch = async (input, init) => {
    const response = await fetch(String(input) === address ? now.url : input, init);
    if (!SUSPICIOUS.has(response.status) || !isGreeting(init)) return response;
    const fresh = await servers.replaceGone(config, context, now);
    if (fresh === undefined) return response;
    await response.body?.cancel();
    context.log('info', 'The address of the hosted server had expired; another one was made.');
    now = fresh;
    return fetch(now.url, init);
  };
  return createHttpTransport({ type: 'http', url: address }, context, follow);
}

/** Nothing has been carried out by then: it may be sent to another server. */
function isGreeting(init: RequestInit | undefined): boolean {
  const parsed = parseJson(typeof init?.body === 'string' ? init.body : '');
  if (!parsed.ok || !isJsonObject(parsed.value)) return false;
  return parsed.value['method'] === 'initialize' || parsed.value['method'] === 'server/discover';
}
