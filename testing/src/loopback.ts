import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `close` also cuts open connections, and may be called again. */
export type Loopback = AsyncDisposable & { origin: string; port: number; close: () => Promise<void> };

/** Listens on 127.0.0.1, on a free port by default. */
export async function listenOnLoopback(server: Server, port = 0): Promise<Loopback> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
  return { origin: `http://127.0.0.1:${own}`, port: own, close, [Symbol.asyncDispose]: close };
}

/** A request as received, with its whole body. */
type SeenRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** A server on 127.0.0.1 that records its requests. */
export type RecordingServer = Loopback & { server: Server; seen: SeenRequest[] };

/** Records each request with its whole body, then answers it. */
export async function startRecordingServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<RecordingServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      answer(request, response, body);
    });
  });
  return { ...(await listenOnLoopback(server)), server, seen };
}
