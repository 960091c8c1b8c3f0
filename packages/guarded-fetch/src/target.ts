import type { RefusalReason } from './address.ts';
import { hasUserinfo, hostOf, isLocalhostName, isWeb } from './hosts.ts';
import type { FetchRefusal } from './refusals.ts';

/** What holds for every address, whoever chose it: a fetch can send it and it carries no sign-in. */
export function checkUrlForm(url: URL): FetchRefusal | null {
  if (!isWeb(url)) return { kind: 'scheme', url };
  if (hasUserinfo(url)) return { kind: 'userinfo', url };
  return null;
}

/**
 * What an address somebody else chose shows without asking a resolver. A name is judged when it is connected to,
 * by the very answer that is connected to.
 */
export function checkUntrustedUrl(
  url: URL,
  rules: { httpsOnly: boolean; refuse: (ip: string) => RefusalReason | null },
): FetchRefusal | null {
  if (rules.httpsOnly && url.protocol !== 'https:') return { kind: 'not_https', url };
  const host = hostOf(url);
  if (host.kind === 'name') {
    return isLocalhostName(host.name) ? { kind: 'address', url, reason: 'loopback' } : null;
  }
  const reason = rules.refuse(host.ip);
  return reason === null ? null : { kind: 'address', url, reason, address: host.ip };
}
