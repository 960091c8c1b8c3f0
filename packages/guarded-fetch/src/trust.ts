import { ToolyardError } from '@toolyard/protocol';
import { isRefusedAddress } from './address.ts';
import { hostOf, isLocalhostName, isWeb, readUrl } from './hosts.ts';

/**
 * Makes the `trust` of a guard out of the addresses its owner typed or the loopback scan found. Scheme, host and
 * port must be the same; the path plays no part. Throws a ToolyardError `bad_config` for what is no web address.
 *
 * @example
 * trustOrigins(['http://127.0.0.1:11434/v1'])(new URL('http://127.0.0.1:11434/api/tags')); // true
 */
export function trustOrigins(addresses: Iterable<string | URL>): (url: URL) => boolean {
  const origins = new Set([...addresses].map(originOf));
  return (url) => isWeb(url) && origins.has(url.origin);
}

/**
 * Trusts all of this machine, if the address its owner typed is on it; else nothing. For what belongs to that address
 * and may stand at another port, as its sign-in does.
 */
export function trustSameHost(address: string | URL): (url: URL) => boolean {
  const url = readUrl(address);
  if (url === null || !isOnThisMachine(url)) return () => false;
  return isOnThisMachine;
}

function isOnThisMachine(url: URL): boolean {
  if (!isWeb(url)) return false;
  const host = hostOf(url);
  return host.kind === 'name' ? isLocalhostName(host.name) : isRefusedAddress(host.ip) === 'loopback';
}

function originOf(address: string | URL): string {
  const url = readUrl(address);
  if (url !== null && isWeb(url)) return url.origin;
  throw new ToolyardError({
    code: 'bad_config',
    message: 'A trusted address is not a complete web address.',
    hint: 'It should look like http://127.0.0.1:11434.',
  });
}
