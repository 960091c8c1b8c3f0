import { ToolyardError } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';

/** This machine, by name or number. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** Tokens and passwords go to nobody who can be listened to: `https:`, or this machine. */
function isSafeForSecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/**
 * The address of an endpoint that a sign-in server names, if it is one to which a person may be sent, or a secret.
 *
 * @param namedBy the sign-in server: only one on this machine may name an address on this machine
 * @throws ToolyardError `address_refused`
 */
export function endpointOf(what: string, address: string, namedBy: string): URL {
  const url = readUrl(address);
  const by = readUrl(namedBy);
  const why =
    url === null
      ? 'is no address'
      : url.username !== '' || url.password !== ''
        ? 'holds a user name or a password'
        : !isSafeForSecrets(url)
          ? 'is neither https nor on this machine'
          : isLoopback(url) && (by === null || !isLoopback(by))
            ? 'is on this machine, and the sign-in server is not'
            : null;
  if (url !== null && why === null) {
    url.hash = '';
    return url;
  }
  throw new ToolyardError({
    code: 'address_refused',
    message: `The ${what} that the sign-in server names ${why}; it is not used.`,
    hint: 'This sign-in server is set up wrongly, or is not honest. Ask whoever runs it.',
  });
}
