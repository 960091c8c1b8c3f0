import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProblemAnswer } from '../problems.ts';

/** Connections upgraded to WebSockets, so that a stopping server can end them. */
export type Upgrades = {
  take(incoming: IncomingMessage, socket: Duplex): void;
  close(): void;
};

/**
 * @param execute resolves once the connection was handed over, or throws
 * @param explain turns what was thrown into the response
 */
export function createUpgrades(
  execute: (incoming: IncomingMessage, socket: Duplex, signal: AbortSignal) => Promise<void>,
  explain: (thrown: unknown, incoming: IncomingMessage) => ProblemAnswer,
): Upgrades {
  const open = new Set<Duplex>();
  const stop = new AbortController();
  return {
    take(incoming, socket) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      // A broken connection cannot receive an error.
      socket.on('error', () => socket.destroy());
      void execute(incoming, socket, stop.signal).catch((thrown: unknown) => {
        if (!socket.destroyed) refuse(socket, explain(thrown, incoming));
      });
    },
    close() {
      stop.abort();
      for (const socket of open) socket.destroy();
    },
  };
}

function refuse(socket: Duplex, { problem, headers }: ProblemAnswer): void {
  const body = JSON.stringify(problem);
  const lines = {
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${String(problem.status)} ${STATUS_CODES[problem.status] ?? 'Error'}\r\n${head.join('')}\r\n${body}`,
  );
}
