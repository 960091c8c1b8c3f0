import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import { BlockList, connect } from 'node:net';
import { lookup } from 'node:dns';
import type { Duplex } from 'node:stream';

/** `port`: where it listens on a port; 0 on a unix socket. */
export type HostProxy = AsyncDisposable & { port: number };

export type HostProxyOptions = {
  /** The unix socket, or the port of 127.0.0.1, on which it listens. */
  at: string | number;
  /** `example.com`, `*.example.com` or `example.com:8443`; without a port, 80 and 443 are meant. */
  hosts: readonly string[];
  /** A connection was refused; `target` is `host:port`. */
  onBlocked: (target: string) => void;
};

/**
 * The way out of a sandbox with limited hosts: an HTTP proxy (`CONNECT`, and plain requests) that lets through HTTP(S)
 * to the named hosts. One for each server process.
 */
export async function startHostProxy({ at, hosts, onBlocked }: HostProxyOptions): Promise<HostProxy> {
  const open = new Set<Duplex>();
  const isAllowed = (host: string, port: number): boolean => {
    if (hosts.some((pattern) => matches(pattern, host, port))) return true;
    onBlocked(port === 443 || port === 80 ? host : `${host}:${port}`);
    return false;
  };
  const server = createServer((incoming, response) => forwardRequest(incoming, response, isAllowed));
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d{1,5})$/.exec(incoming.url ?? '') ?? [];
    client.on('error', () => undefined);
    if (!isAllowed(host.toLowerCase(), Number(port))) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = connect({ host, port: Number(port), lookup: lookupPublic });
    open.add(target);
    target.on('close', () => (open.delete(target), client.destroy()));
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    target.on('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    client.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'number') server.listen(at, '127.0.0.1', resolve);
    else server.listen(at, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  isAllowed: (host: string, port: number) => boolean,
): void {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
  const refuse = (status: number): void => void response.writeHead(status).end();
  if (url?.protocol !== 'http:') return refuse(400);
  if (!isAllowed(url.hostname, Number(url.port || 80))) return refuse(403);
  const { 'proxy-connection': _connection, 'proxy-authorization': _authorization, ...headers } = incoming.headers;
  const outgoing = request(url, {
    method: incoming.method ?? 'GET',
    headers: { ...headers, host: url.host },
    lookup: lookupPublic,
  });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => (response.headersSent ? response.destroy() : refuse(502)));
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function matches(pattern: string, host: string, port: number): boolean {
  const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  if (wanted === undefined ? port !== 80 && port !== 443 : port !== Number(wanted)) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}

/** This machine, and the addresses of cloud metadata: no name may lead there. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('0.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);
LOCAL.addSubnet('::1', 128, 'ipv6');
LOCAL.addSubnet('::', 128, 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** A host that is allowed by its name must not be one whose DNS answer is this machine. An address counts as given. */
const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const good = addresses.filter(({ address, family }) => !LOCAL.check(address, family === 6 ? 'ipv6' : 'ipv4'));
    const [first] = good;
    if (first === undefined) return done(new Error(`${host} is an address of this machine`), '', 0);
    if (options.all === true) return done(null, good);
    done(null, first.address, first.family);
  });
};
