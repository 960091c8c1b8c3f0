import { foldCase } from './hidden-characters.ts';

/**
 * The one parser of URLs, for the rules about hosts and for the clients that fetch: what a rule allowed is what is
 * connected to.
 */

/** Parses a URL; null if it is invalid. (`URL.parse` does the same, but not on Node 20.) */
export function readUrl(address: string | URL, base?: URL): URL | null {
  return URL.canParse(String(address), base?.href) ? new URL(address, base) : null;
}

/** True if a user name or password precedes the host, as in `https://bank.example@evil.example/`. */
export function hasUserinfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

/**
 * The host of a URL: an IP address without brackets, or a name in lower case without a trailing dot. `new URL()` has
 * already normalized decimal, octal, hexadecimal, full-width and international spellings.
 */
export function hostName(url: URL): string {
  return url.hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

/**
 * A web URL that every parser reads alike: `http(s)://`, the host as the parser normalizes it, no user info, backslash,
 * space or control character, and no second URL within. Null for any other text.
 */
export function plainWebUrl(text: string): URL | null {
  const [, host, rest = ''] = /^https?:\/\/([^/?#:@[\]\\]+|\[[\da-f:.]+\])(?::\d+)?((?:[/?#].*)?)$/is.exec(text) ?? [];
  if (host === undefined || /[\s\\\p{Cc}\p{Cf}]/u.test(text)) return null;
  const url = readUrl(text);
  const isPlain = url !== null && url.hostname === host.toLowerCase() && !url.hostname.endsWith('.');
  return isPlain && !/:\/[/\\]|[=?&#][/\\]{2}/.test(foldCase(rest)) ? url : null;
}

/** The normal form of a host as it is written: `bücher.example`, `0x7f.1` and `[::ffff:127.0.0.1]` have one each. */
export function normalHost(written: string): string {
  const bare = foldCase(written)
    .replaceAll('。', '.')
    .replace(/%.*$/, '')
    .replace(/^\[|\]$/g, '');
  const url = readUrl(`http://${bare.includes(':') ? `[${bare}]` : bare.replace(/^\.+|\.+$/g, '')}`);
  return url === null ? bare : withoutMapping(hostName(url));
}

/** An IPv4 address that is written as an IPv6 address, or translated to one, leads to the same machine. */
function withoutMapping(host: string): string {
  const [, high = '', low = ''] = /^(?:::(?:ffff:)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host) ?? [];
  if (low === '') return host;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

/** Characters of host names in any spelling, of IPv6 addresses, and what precedes a host for certain. */
const HOSTS = /(\/\/|\\\\|@|:[/\\]*)?\[?([\da-f]*:[\da-f]*:[\da-f:.]*|(?:[\p{L}\p{N}\p{M}_-]|[.。])+)\]?/giu;

/**
 * Every host that some program may read in a text, in its normal form. `bare`: also names without a scheme; a file name
 * such as `index.ts` is one.
 */
export function hostsNamedIn(text: string, bare: boolean): string[] {
  // Parsers of URLs skip tabs and line breaks.
  const texts = new Set([foldCase(text), foldCase(text.replace(/[\t\r\n]+/g, ''))]);
  const found = new Set<string>();
  for (const each of texts) {
    for (const [, before, name = ''] of each.matchAll(HOSTS)) {
      if (before === undefined && !bare) continue;
      const isSimple = /^[a-z][a-z\d-]*(?:\.[a-z][a-z\d-]*)+$/.test(name) && !name.includes('xn--');
      found.add(isSimple ? name : normalHost(name));
    }
    for (const [, address = ''] of each.matchAll(/\[([\da-f:.]+)(?:%[^\]]*)?\]/g)) found.add(normalHost(address));
  }
  return [...found];
}
