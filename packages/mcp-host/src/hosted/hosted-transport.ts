import type { Fetch } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { createHttpTransport } from '../transports/http-transport.ts';
import type { HostTransport, TransportContext } from '../transports/transport.ts';
import type { HostedConfig } from './hosted-config.ts';
import type { HostedServers } from './hosted-servers.ts';

/** Statuses of an expired URL, or of one without a sign-in. */
const SUSPICIOUS = new Set([401, 403, 404, 410]);

/**
 * Streamable HTTP to the URL the service assigned. An expired URL is detected during initialize, and another server is
 * created.
 *
 * @throws ToolyardError if no server can be created
 */
export async function createHostedTransport(
  config: HostedConfig,
  context: TransportContext,
  fetch: Fetch,
  servers: HostedServers,
): Promise<HostTransport> {
  const first = await servers.open(config, context);
  // The SDK serializes its requests in this form.
  const address = new URL(first.url).href;
  let now = first;
  const follow: Fetch = async (input, init) => {
    const response = await fetch(String(input) === address ? now.url : input, init);
    if (!SUSPICIOUS.has(response.status) || !isInitialize(init)) return response;
    const fresh = await servers.replaceGone(config, context, now);
    if (fresh === undefined) return response;
    await response.body?.cancel();
    context.log('info', 'The URL of the hosted server had expired; Toolyard created another server.');
    now = fresh;
    return fetch(now.url, init);
  };
  return createHttpTransport({ type: 'http', url: address }, context, follow);
}

/** Nothing has been executed before initialize, so it may be sent to another server. */
function isInitialize(init: RequestInit | undefined): boolean {
  const parsed = parseJson(typeof init?.body === 'string' ? init.body : '');
  if (!parsed.ok || !isJsonObject(parsed.value)) return false;
  return parsed.value['method'] === 'initialize' || parsed.value['method'] === 'server/discover';
}
