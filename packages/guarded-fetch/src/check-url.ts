import { ToolyardError } from '@toolyard/protocol';
import { isRefusedAddress } from './address.ts';
import { hasUserinfo, hostOf, isLocalhostName, readUrl } from './hosts.ts';

/**
 * Checks a link that a model, a page or a server gave, before a person's browser opens it: `https:` anywhere, `http:`
 * only on this machine, no user name in front of the host. Never `javascript:`, `data:`, `file:` or a program's own
 * scheme. Open the `href` of what comes back, not the text that went in, and hand it over as one argument, never
 * through a shell. Throws a ToolyardError `address_refused`.
 *
 * @example
 * open(checkUrl(metadata.authorization_endpoint).href);
 */
export function checkUrl(link: string | URL): URL {
  const url = readUrl(link);
  if (url === null) throw refused('This link is not a complete web address.');
  if (hasUserinfo(url)) throw refused('This link has a user name in front of its host, which can hide where it leads.');
  if (url.protocol === 'https:') return url;
  if (url.protocol === 'http:' && isThisMachine(url)) return url;
  if (url.protocol === 'http:') throw refused('This link is not secure.');
  throw refused(`Links that begin with ${url.protocol.slice(0, 40)} are not opened.`);
}

function isThisMachine(url: URL): boolean {
  const host = hostOf(url);
  return host.kind === 'ip' ? isRefusedAddress(host.ip) === 'loopback' : isLocalhostName(host.name);
}

function refused(message: string): ToolyardError {
  const hint = 'Only links that begin with https:// are opened, and http:// on this machine.';
  return new ToolyardError({ code: 'address_refused', message, hint });
}
