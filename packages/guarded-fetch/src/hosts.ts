import { isIP } from 'node:net';

/**
 * The host of a URL: an IP literal without brackets, or a name without a trailing dot. `new URL()` has already
 * normalized decimal, octal, hexadecimal and full-width spellings.
 */
export function hostOf(url: URL): { kind: 'ip'; ip: string } | { kind: 'name'; name: string } {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return { kind: 'ip', ip: bare };
  return { kind: 'name', name: bare.replace(/\.$/, '').toLowerCase() };
}

/** Parses a URL; null if it is invalid. */
export function readUrl(address: string | URL, base?: URL): URL | null {
  return URL.canParse(String(address), base?.href) ? new URL(address, base) : null;
}

/** Names that always mean this machine, whatever a resolver returns (RFC 6761). */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** True for the schemes that fetch sends: `http:` and `https:`. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** True if a user name or password precedes the host, as in `https://bank.example@evil.example/`. */
export function hasUserinfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

/** A URL for messages: without path, query and userinfo, which may contain secrets, and truncated. */
export function displayOf(url: URL): string {
  const shown = `${url.protocol}//${url.host}`;
  return shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}...`;
}

const MAX_SHOWN = 120;
