import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { connectTo, getHost, requestOptions } from './outgoing.ts';
import type { UpstreamProxies } from './upstream-proxy.ts';

/** `port`: the TCP port it listens on; 0 for a unix socket. */
export type HostProxy = AsyncDisposable & { port: number };

export type HostProxyOptions = {
  /** The unix socket, or the port of 127.0.0.1, to listen on. */
  at: string | number;
  /** `example.com`, `*.example.com` or `example.com:8443`; without a port, 80 and 443. */
  hosts: readonly string[];
  /** The proxies the machine itself has to use. */
  upstream: UpstreamProxies;
  /** Called for each rejected connection; `target` is `host:port`. */
  onBlocked: (target: string) => void;
};

/**
 * The only network access of a sandbox with limited hosts: an HTTP proxy (`CONNECT` and plain requests) for HTTP(S) to
 * the listed hosts. One per server process.
 */
export async function startHostProxy({ at, hosts, upstream, onBlocked }: HostProxyOptions): Promise<HostProxy> {
  const open = new Set<Duplex>();
  const isAllowed = (host: string, port: number): boolean => {
    if (hosts.some((pattern) => matches(pattern, host, port))) return true;
    onBlocked(port === 443 || port === 80 ? host : `${host}:${port}`);
    return false;
  };
  const server = createServer((incoming, response) => forwardRequest(incoming, response, { isAllowed, upstream }));
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d{1,5})$/.exec((incoming.url ?? '').toLowerCase()) ?? [];
    client.on('error', () => undefined);
    if (!isAllowed(host, Number(port))) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    connectTo(host, Number(port), upstream('https:', host, Number(port))).then(
      (target) => {
        open.add(target);
        target.on('close', () => (open.delete(target), client.destroy()));
        target.on('error', () => client.destroy());
        client.on('close', () => target.destroy());
        if (client.destroyed) return void target.destroy();
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        target.write(head);
        target.pipe(client).pipe(target);
      },
      (error: unknown) => client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${getReason(error)}\n`),
    );
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

type Rules = { isAllowed: (host: string, port: number) => boolean; upstream: UpstreamProxies };

function forwardRequest(incoming: IncomingMessage, response: ServerResponse, { isAllowed, upstream }: Rules): void {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
  const refuse = (status: number, why = ''): void => void response.writeHead(status).end(why);
  if (url?.protocol !== 'http:') return refuse(400);
  const port = Number(url.port || 80);
  if (!isAllowed(url.hostname, port)) return refuse(403);
  const { 'proxy-connection': _connection, 'proxy-authorization': _authorization, ...headers } = incoming.headers;
  requestOptions(url, upstream('http:', getHost(url), port)).then(
    (route) => {
      const outgoingOptions = {
        method: incoming.method ?? 'GET',
        headers: { ...headers, ...route.headers, host: url.host },
      };
      pass(incoming, response, request({ ...route, ...outgoingOptions }));
    },
    (error: unknown) => refuse(502, getReason(error)),
  );
}

function pass(incoming: IncomingMessage, response: ServerResponse, outgoing: ClientRequest): void {
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function matches(pattern: string, host: string, port: number): boolean {
  const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  if (wanted === undefined ? port !== 80 && port !== 443 : port !== Number(wanted)) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}

function getReason(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}
