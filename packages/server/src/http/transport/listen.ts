import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { Connections } from './connections.ts';
import type { HttpApp } from '../create-http-app.ts';
import { findToolyard } from '../../find-toolyard.ts';
import { refusal } from '../problems.ts';
import { setStandardHeaders } from './response-headers.ts';

/** How long requests in progress may take when the server stops. */
const STOP_WITHIN_MS = 5_000;

export type Listening = {
  /** URL for a browser on this machine. */
  url: string;
  port: number;
  /** Stops accepting, ends streams, waits for requests in progress up to a limit. Idempotent. */
  close(): Promise<void>;
};

/**
 * Opens the socket.
 *
 * @param options.port 0 chooses a free one
 * @throws ToolyardError `bad_config` with the reason if it cannot listen
 */
export async function listen(
  app: HttpApp,
  options: { host: string; port: number; clock: Pick<Clock, 'after'> },
): Promise<Listening> {
  const answer = getRequestListener(app.fetch, {
    // Other code in this process compares with the global Response of the platform.
    overrideGlobalObjects: false,
    errorHandler: () => app.answerError(unreadable()),
  });
  let closing: Promise<void> | undefined;
  const server = createServer({ noDelay: true, shouldUpgradeCallback: wantsWebSocket }, (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    setStandardHeaders(outgoing);
    void answer(incoming, outgoing);
  });
  const connections = new Connections(server);
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    connections.handOver(socket);
    if (head.length > 0) socket.unshift(head);
    app.upgrade(incoming, socket);
  });
  const port = await open(server, options);
  return {
    url: `http://${hostInUrl(options.host)}:${port}`,
    port,
    close: () => (closing ??= stop({ server, connections, app, clock: options.clock })),
  };
}

/** Requests for other upgrades (such as HTTP/2 by curl) are answered over HTTP/1.1. */
function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function open(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => void cannotListen(error, host, port).then(reject);
    server.once('error', onError);
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

type Stopping = { server: Server; connections: Connections; app: HttpApp; clock: Pick<Clock, 'after'> };

async function stop({ server, connections, app, clock }: Stopping): Promise<void> {
  const giveUp = clock.after(STOP_WITHIN_MS, () => connections.cut());
  connections.beginEnding();
  // Requests that have arrived but were not read yet also count; one turn of the event loop reads them all.
  await nextTurn();
  await nextTurn();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    app.close();
    connections.endIdle();
  });
  giveUp();
}

/** A wildcard address cannot be opened in a browser; use this machine's loopback address. */
function hostInUrl(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (bare === '0.0.0.0') return '127.0.0.1';
  if (bare === '::') return '[::1]';
  return isIPv6(bare) ? `[${bare}]` : bare;
}

async function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Promise<ToolyardError> {
  const url = `http://${hostInUrl(host)}:${port}`;
  const other = error.code === 'EADDRINUSE' ? await findToolyard(url) : null;
  const { message, hint } = whyNot(error, host, port, other === null ? null : { url, version: other });
  return new ToolyardError({ code: 'bad_config', message, hint }, { cause: error });
}

function whyNot(
  { code }: NodeJS.ErrnoException,
  host: string,
  port: number,
  other: { url: string; version: string } | null,
): { message: string; hint: string } {
  switch (code) {
    case 'EADDRINUSE':
      return {
        message:
          other === null
            ? `Port ${port} is in use by another program.`
            : `Port ${port} is in use by another Toolyard server (${other.version}) at ${other.url}`,
        hint:
          other === null
            ? 'Stop it, or choose another port with --port.'
            : 'Use that server, stop it, or choose another port with --port.',
      };
    case 'EACCES':
      return {
        message: `The system does not allow this account to listen on port ${port}.`,
        hint: 'Choose a port above 1023 with --port.',
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        message: `${host} is not an address of this machine.`,
        hint: 'Set --host to a name or an address of this machine, such as 127.0.0.1.',
      };
    default:
      return {
        message: `Cannot listen on ${host}, port ${port} (${code ?? 'unknown reason'}).`,
        hint: 'Choose another address with --host or another port with --port.',
      };
  }
}

function unreadable() {
  return refusal({
    code: 'bad_request',
    message: 'Invalid HTTP request: the Host header or the target is malformed.',
  });
}
