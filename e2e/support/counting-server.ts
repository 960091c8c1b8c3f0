import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { listenOnLoopback } from '@toolyard/testing';
import { createServer } from 'node:http';

/** Counts everything that reaches it over HTTP, WebSocket or UDP. */
export type CountingServer = AsyncDisposable & {
  http: string;
  /** As a STUN server. */
  stun: string;
  /** What was requested: paths, `connection` and `datagram`. */
  seen: string[];
};

export async function startCountingServer(): Promise<CountingServer> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' });
    response.end('counted');
  });
  // Also a preconnect without a request.
  server.on('connection', () => seen.push('connection'));
  server.on('upgrade', (request, socket) => {
    seen.push(request.url ?? '');
    socket.destroy();
  });
  const listening = await listenOnLoopback(server);
  const socket = createSocket('udp4', () => seen.push('datagram'));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    http: listening.origin,
    stun: `stun:127.0.0.1:${socket.address().port}`,
    seen,
    async [Symbol.asyncDispose]() {
      socket.close();
      await listening.close();
    },
  };
}
