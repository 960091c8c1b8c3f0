import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { quoted, refusal } from '../problems.ts';

/**
 * Rejects requests that a foreign website makes through a browser. Such a page can send requests here, and its name may
 * resolve to this machine (DNS rebinding): `Host` contains its name then, and `Origin` its origin.
 */
export type HostCheck = (incoming: IncomingMessage) => void;

/** `name` in lower case, IPv6 without brackets; `port` is empty if the header has none. */
export type HostAndPort = { name: string; port: string };

/**
 * Accepts the legitimate names of this server: `localhost` and loopback addresses on a local connection, the address
 * the connection was made to, the host name it listens on, and the configured names. Rejects all others, including
 * 0.0.0.0.
 */
export function createHostCheck(options: HostOptions): HostCheck {
  const checkName = createNameCheck(options);
  return (incoming) => {
    const host = checkName(incoming);
    if (!isSameOrigin(incoming.headers.origin, host)) throw foreign(incoming.headers.origin ?? '');
    if (!cameFromOurPage(incoming)) throw foreign('another site');
  };
}

type HostOptions = { host: string; allowHosts: readonly string[] };

/** Checks only the name in `Host`, and returns it: for documents that other origins may show in frames. */
export function createNameCheck(options: HostOptions): (incoming: IncomingMessage) => HostAndPort {
  const bound = options.host.toLowerCase();
  const allowed = options.allowHosts.map((each) => readHost(each));

  function isOurs({ name, port }: HostAndPort, socket: Socket): boolean {
    if (allowed.some((each) => each?.name === name && (each.port === '' || each.port === port))) return true;
    if (port !== '' ? port !== String(socket.localPort) : socket.localPort !== 80) return false;
    const local = plainAddress(socket.localAddress ?? '');
    if (isIP(name) !== 0) return name === local || (isLoopback(name) && isLoopback(local));
    return name === 'localhost' ? isLoopback(local) : name === bound;
  }

  return (incoming) => {
    const host = getHost(incoming);
    if (host === null || !isOurs(host, incoming.socket)) {
      throw wrongHost((incoming.headersDistinct['host'] ?? []).join(', '));
    }
    return host;
  };
}

/** The `Host` header of a request; null if it has none, several or an invalid one. */
export function getHost(incoming: IncomingMessage): HostAndPort | null {
  const headers = incoming.headersDistinct['host'] ?? [];
  return headers.length === 1 ? readHost(headers[0] ?? '') : null;
}

/** Parses `Host` into name and port; IPv6 without brackets. Null if invalid. */
export function readHost(text: string): HostAndPort | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return null;
  return { name: plainAddress(name.toLowerCase()), port: match?.[3] ?? '' };
}

/** Unwraps IPv4-mapped IPv6 addresses. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** Browsers send `Origin` with all requests except simple reads, and with cross-origin reads of scripts too. */
function isSameOrigin(origin: string | undefined, host: HostAndPort): boolean {
  if (origin === undefined) return true;
  const match = /^(https?):\/\/(.+)$/.exec(origin);
  const from = match?.[2] === undefined ? null : readHost(match[2]);
  if (from === null || from.name !== host.name) return false;
  // Behind a TLS proxy the scheme differs; compare the default port of the origin's scheme.
  const usual = match?.[1] === 'https' ? '443' : '80';
  return (from.port || usual) === (host.port || usual);
}

/** Checks `Sec-Fetch-Site`; navigation from a link elsewhere is allowed. */
function cameFromOurPage({ headers, method }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document' && method === 'GET';
}

function wrongHost(hostHeader: string) {
  const name = hostHeader === '' ? 'no name' : quoted(hostHeader);
  return refusal({
    code: 'forbidden',
    message: `The Host header contains ${name}, which is not a name of this server.`,
    hint: `If it is a valid name, start the server with --allow-host ${/^[\w.:[\]-]+$/.test(hostHeader) ? hostHeader : 'NAME'}.`,
  });
}

function foreign(origin: string) {
  return refusal({
    code: 'forbidden',
    message: `The request was made by a page of another origin (${origin === 'another site' ? origin : quoted(origin)}).`,
    hint: 'Open Toolyard at its own URL. A reverse proxy must forward the Host header unchanged.',
  });
}
