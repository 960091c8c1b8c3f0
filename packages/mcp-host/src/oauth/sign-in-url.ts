import type { AnyText } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';

/** Whether the host is this machine, by name or address. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** Tokens and passwords are sent over `https:` or to this machine only. */
function isSafeForSecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/**
 * Checks the URL of an endpoint that an authorization server names, before a user or a secret is sent there.
 *
 * @param namedBy the authorization server: only one on this machine may name a URL on this machine
 * @throws ToolyardError `address_refused`
 */
export function readEndpoint(what: AnyText, address: string, namedBy: string): URL {
  const url = readUrl(address);
  const by = readUrl(namedBy);
  const why =
    url === null
      ? say`is not a valid URL`
      : url.username !== '' || url.password !== ''
        ? say`contains a user name or a password`
        : !isSafeForSecrets(url)
          ? say`neither uses https nor is on this machine`
          : isLoopback(url) && (by === null || !isLoopback(by))
            ? say`is on this machine, but the authorization server is not`
            : null;
  if (url !== null && why === null) {
    url.hash = '';
    return url;
  }
  throw new ToolyardError({
    code: 'address_refused',
    message: say`Toolyard does not use the ${what} of the authorization server: it ${why ?? ''}.`,
    hint: say`The authorization server is misconfigured or malicious. Ask its operator.`,
  });
}
