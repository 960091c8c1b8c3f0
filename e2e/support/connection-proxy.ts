import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';

/** A TCP proxy to a server whose connections can be cut and restored. */
export type ConnectionProxy = {
  /** The URL that replaces the server's. */
  readonly port: number;
  readonly url: string;
  /** Ends every connection and accepts no new one until {@link mend}. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
};

/** The port of the last proxy of this worker. */
let lastPort = 0;

/** A proxy on the port of the previous one if that is free: a renderer compiles scripts of a known URL faster. */
export async function startWorkerProxy(portBehind: () => number): Promise<ConnectionProxy> {
  const line = await layLineOn(lastPort, portBehind).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    return layLineOn(0, portBehind);
  });
  lastPort = line.port;
  return line;
}

/**
 * Forwards bytes in both directions to a port of this machine.
 *
 * @param onTheWayBack creates, for each connection, the transform of the bytes from that port
 */
export function startConnectionProxy(portBehind: () => number, onTheWayBack?: () => Duplex): Promise<ConnectionProxy> {
  return layLineOn(0, portBehind, onTheWayBack);
}

/** @param port of the proxy; 0: any free one */
async function layLineOn(
  port: number,
  portBehind: () => number,
  onTheWayBack?: () => Duplex,
): Promise<ConnectionProxy> {
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const far = connect(portBehind(), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    (onTheWayBack ? far.pipe(onTheWayBack()) : far).pipe(near);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');

  function endAll(): void {
    for (const socket of open) socket.destroy();
  }
  return {
    port: address.port,
    url: `http://127.0.0.1:${String(address.port)}`,
    cut() {
      whole = false;
      endAll();
    },
    mend() {
      whole = true;
    },
    async close() {
      whole = false;
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
