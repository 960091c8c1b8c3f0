import type { AnyText } from '@toolyard/protocol';
import { ToolyardError, hasUserinfo, readUrl, say } from '@toolyard/protocol';
import { isOnThisMachine } from './trust.ts';

/**
 * Checks a link from a model, page or server before a user's browser opens it: `https:` anywhere, `http:` only on this
 * machine, no user name before the host; never `javascript:`, `data:`, `file:` or a custom scheme. Open the `href` of
 * the result, not the original text, and pass it as one argument, never through a shell. Throws a ToolyardError
 * `address_refused`.
 *
 * @example
 * open(checkUrl(metadata.authorization_endpoint).href);
 */
export function checkUrl(link: string | URL): URL {
  const url = readUrl(link);
  if (url === null) throw createRefusedAddressError(say`This link is not a valid URL.`);
  if (hasUserinfo(url))
    throw createRefusedAddressError(say`This link has a user name before its host, which can disguise where it leads.`);
  if (url.protocol === 'https:') return url;
  if (url.protocol === 'http:' && isOnThisMachine(url)) return url;
  if (url.protocol === 'http:')
    throw createRefusedAddressError(say`This link uses http:// and leads to another machine.`);
  throw createRefusedAddressError(say`Links that begin with "${url.protocol.slice(0, 40)}" are not opened.`);
}

function createRefusedAddressError(message: AnyText): ToolyardError {
  const hint = say`Only https:// links are opened, and http:// links on this machine.`;
  return new ToolyardError({ code: 'address_refused', message, hint });
}
