import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { quoted, refusal } from './problems.ts';

/**
 * Who may talk to this server from within a browser. A page elsewhere can make a browser send requests here, and can
 * let its own name lead to this machine (DNS rebinding): its name then stands in `Host`, and its origin in `Origin`.
 */
export type HostCheck = (incoming: IncomingMessage) => void;

type HostAndPort = { name: string; port: string };

/**
 * Accepts what this server can truly be called: `localhost` and the loopback addresses on a connection from this
 * machine, the very address the connection came to, the name it was told to listen on, and what the owner allows.
 * Names that lead here all the same are refused, as is 0.0.0.0.
 */
export function createHostCheck(options: { host: string; allowHosts: readonly string[] }): HostCheck {
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
    const given = incoming.headersDistinct['host'] ?? [];
    const host = given.length === 1 ? readHost(given[0] ?? '') : null;
    if (host === null || !isOurs(host, incoming.socket)) throw wrongHost(given.join(', '));
    if (!isSameOrigin(incoming.headers.origin, host)) throw foreign(incoming.headers.origin ?? '');
    if (!cameFromOurPage(incoming)) throw foreign('another site');
  };
}

/** A `Host` as name and port; IPv6 without brackets. Null for what is none. */
function readHost(text: string): HostAndPort | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return null;
  return { name: plainAddress(name.toLowerCase()), port: match?.[3] ?? '' };
}

/** IPv4 as IPv4, even where the socket speaks IPv6. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** Browsers send `Origin` with everything but plain reading, and with that too from another site's script. */
function isSameOrigin(origin: string | undefined, host: HostAndPort): boolean {
  if (origin === undefined) return true;
  const match = /^(https?):\/\/(.+)$/.exec(origin);
  const from = match?.[2] === undefined ? null : readHost(match[2]);
  if (from === null || from.name !== host.name) return false;
  // Behind a proxy that speaks TLS the scheme is not ours; each has a port that goes without saying.
  const usual = match?.[1] === 'https' ? '443' : '80';
  return (from.port || usual) === (host.port || usual);
}

/** What browsers say about where a request comes from; following a link to the page from elsewhere is welcome. */
function cameFromOurPage({ headers, method }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document' && method === 'GET';
}

function wrongHost(given: string) {
  const name = given === '' ? 'no name' : quoted(given);
  return refusal({
    code: 'forbidden',
    message: `This server was called ${name}, which is not one of its names.`,
    hint: `If it is reached by that name on purpose, start it with --allow-host ${/^[\w.:[\]-]+$/.test(given) ? given : 'NAME'}.`,
  });
}

function foreign(origin: string) {
  return refusal({
    code: 'forbidden',
    message: `This request was made by a page that is not Toolyard's own (${origin === 'another site' ? origin : quoted(origin)}).`,
    hint: 'Open Toolyard by its own address. Behind a proxy, the proxy must pass the Host header on as it came.',
  });
}
