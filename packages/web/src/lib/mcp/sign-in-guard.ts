import type { Fetch } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/**
 * For the URLs that a server and its authorization server name: https with a domain name only, so that a server cannot
 * have this browser probe its private network. URLs on the origin of the server itself are allowed.
 */
export function guardSignIn(serverUrl: string, fetch: Fetch): Fetch {
  const server = new URL(serverUrl);
  return async (input, init) => {
    const url = new URL(input);
    const isBeside = url.hostname === server.hostname || (isThisMachine(url) && isThisMachine(server));
    if (isBeside || (url.protocol === 'https:' && isPublicName(url.hostname))) return fetch(input, init);
    throw new ToolyardError({
      code: 'address_refused',
      message: `The sign-in of this server leads to ${url.origin}, which is blocked: it does not use https or is in a private network.`,
      hint: 'If you trust this URL, add the server to Toolyard instead of this browser.',
    });
  };
}

function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** A domain name with a dot that is not a number: IP addresses, `localhost` and local names are rejected. */
function isPublicName(hostname: string): boolean {
  return /\.[a-z][a-z0-9-]*\.?$/i.test(hostname) && !/\.(?:local|localhost|internal|home\.arpa)\.?$/i.test(hostname);
}
