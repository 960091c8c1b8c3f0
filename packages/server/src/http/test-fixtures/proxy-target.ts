import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** A server behind the proxy with scripted responses that records its requests. */
export type ProxyTarget = AsyncDisposable & {
  origin: string;
  seen: Seen[];
  /** Resolves with a request as soon as its headers arrived. */
  next(): Promise<IncomingMessage>;
};

export async function startProxyTarget(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"here":true}');
  },
): Promise<ProxyTarget> {
  const seen: Seen[] = [];
  const waiting: ((request: IncomingMessage) => void)[] = [];
  const server = createServer((request, response) => {
    waiting.shift()?.(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      answer(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    seen,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
