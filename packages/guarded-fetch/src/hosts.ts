import { isIP } from 'node:net';
import { hostName } from '@toolyard/protocol';

/** The host of a URL: an IP address without brackets, or a name without a trailing dot. */
export function getHost(url: URL): { kind: 'ip'; ip: string } | { kind: 'name'; name: string } {
  const name = hostName(url);
  return isIP(name) === 0 ? { kind: 'name', name } : { kind: 'ip', ip: name };
}

/** Names that always mean this machine, whatever a resolver returns (RFC 6761). */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** True for the schemes that fetch sends: `http:` and `https:`. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** A URL for messages: without path, query and userinfo, which may contain secrets, and truncated. */
export function formatOrigin(url: URL): string {
  const shown = `${url.protocol}//${url.host}`;
  return shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}...`;
}

const MAX_SHOWN = 120;
