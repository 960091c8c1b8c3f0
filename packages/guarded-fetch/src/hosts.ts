import { isIP } from 'node:net';

/**
 * The host of an address taken apart: an IP literal without brackets, or a name without the dot that may end it.
 * `new URL()` has already turned decimal, octal, hexadecimal and full-width spellings into plain ones.
 */
export function hostOf(url: URL): { kind: 'ip'; ip: string } | { kind: 'name'; name: string } {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return { kind: 'ip', ip: bare };
  return { kind: 'name', name: bare.replace(/\.$/, '').toLowerCase() };
}

/** Reads an address; null for what is none. */
export function readUrl(address: string | URL, base?: URL): URL | null {
  return URL.canParse(String(address), base?.href) ? new URL(address, base) : null;
}

/** Names that mean this machine whatever a resolver says (RFC 6761). */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** True for what a fetch can send: `http:` and `https:`. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** True where a name or password stands before the host, as in `https://bank.example@evil.example/`. */
export function hasUserinfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

/** How an address is told to people: without path, query and userinfo, which may hold secrets, and not endlessly. */
export function displayOf(url: URL): string {
  const shown = `${url.protocol}//${url.host}`;
  return shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}...`;
}

const MAX_SHOWN = 120;
