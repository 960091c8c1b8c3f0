import { ToolyardError, readUrl, say } from '@toolyard/protocol';
import { isRefusedAddress } from './address.ts';
import { getHost, isLocalhostName, isWeb } from './hosts.ts';

/**
 * Creates the `trust` of a guard from URLs that the operator configured or that were detected on loopback. Scheme, host
 * and port must be equal; the path is ignored. Throws a ToolyardError `bad_config` for an invalid URL.
 *
 * @example
 * trustOrigins(['http://127.0.0.1:11434/v1'])(new URL('http://127.0.0.1:11434/api/tags')); // true
 */
export function trustOrigins(addresses: Iterable<string | URL>): (url: URL) => boolean {
  const origins = new Set([...addresses].map(getOrigin));
  return (url) => isWeb(url) && origins.has(url.origin);
}

/**
 * Trusts every port of this machine if the configured URL is on this machine, otherwise nothing. For services that
 * belong to that URL and may have another port, such as its sign-in.
 */
export function trustSameHost(address: string | URL): (url: URL) => boolean {
  const url = readUrl(address);
  if (url === null || !isOnThisMachine(url)) return () => false;
  return isOnThisMachine;
}

/** True for a web URL of this machine. */
export function isOnThisMachine(url: URL): boolean {
  if (!isWeb(url)) return false;
  const host = getHost(url);
  return host.kind === 'name' ? isLocalhostName(host.name) : isRefusedAddress(host.ip) === 'loopback';
}

function getOrigin(address: string | URL): string {
  const url = readUrl(address);
  if (url !== null && isWeb(url)) return url.origin;
  throw new ToolyardError({
    code: 'bad_config',
    message: 'A trusted URL is not valid.',
    hint: say`A valid URL looks like ${'http://127.0.0.1:11434'}.`,
  });
}
