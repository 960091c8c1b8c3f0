import { hasUserinfo } from '@toolyard/protocol';
import type { RefusalReason } from './address.ts';
import { getHost, isLocalhostName, isWeb } from './hosts.ts';
import type { FetchRefusal } from './refusals.ts';

/** Checks for every URL, trusted or not: fetch supports it and it contains no credentials. */
export function checkUrlForm(url: URL): FetchRefusal | null {
  if (!isWeb(url)) return { kind: 'scheme', url };
  if (hasUserinfo(url)) return { kind: 'userinfo', url };
  return null;
}

/**
 * Checks an untrusted URL as far as possible without name resolution. A name is checked when the connection is made,
 * with the addresses that are connected to.
 */
export function checkUntrustedUrl(
  url: URL,
  rules: { httpsOnly: boolean; refuse: (ip: string) => RefusalReason | null },
): FetchRefusal | null {
  if (rules.httpsOnly && url.protocol !== 'https:') return { kind: 'not_https', url };
  const host = getHost(url);
  if (host.kind === 'name') {
    return isLocalhostName(host.name) ? { kind: 'address', url, reason: 'loopback' } : null;
  }
  const reason = rules.refuse(host.ip);
  return reason === null ? null : { kind: 'address', url, reason, address: host.ip };
}
