import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A wire between browser and server that can be cut and mended. */
export type CuttableLine = {
  /** Where the browser goes in place of the server. */
  url: string;
  /** Ends every connection and takes no new one until {@link mend}. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
};

/** Passes bytes on, both ways, to a port of this machine. */
export async function layLine(portBehind: () => number): Promise<CuttableLine> {
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
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');

  function endAll(): void {
    for (const socket of open) socket.destroy();
  }
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    cut() {
      whole = false;
      endAll();
    },
    mend() {
      whole = true;
    },
    async close() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
