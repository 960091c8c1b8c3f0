import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';

/** The line of one process to PostgreSQL. */
export type DatabaseLine = {
  readonly port: number;
  /** Notifications get lost on it while this is true; nothing else does. */
  deaf: boolean;
  /** Ends every connection and takes no new one until {@link mend}. */
  cut(): void;
  mend(): void;
  close(): void;
};

/** Lays a line to the PostgreSQL that listens at a port of this machine. */
export async function layDatabaseLine(portBehind: number): Promise<DatabaseLine> {
  const open = new Set<Socket>();
  let whole = true;
  const line: DatabaseLine = {
    port: 0,
    deaf: false,
    cut() {
      whole = false;
      endAll();
    },
    mend() {
      whole = true;
    },
    close() {
      whole = false;
      endAll();
      server.close();
    },
  };
  const server = createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const far = connect(portBehind, '127.0.0.1');
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
    far.pipe(withoutNotifications(() => line.deaf)).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');

  function endAll(): void {
    for (const socket of open) socket.destroy();
  }
  return Object.assign(line, { port: address.port });
}

const NOTIFICATION = 'A'.charCodeAt(0);
/** One letter and the length, which counts itself and not the letter. */
const HEAD = 5;

/** Reads messages of PostgreSQL one by one and drops notifications, where that is wanted. */
export function withoutNotifications(wanted: () => boolean): Transform {
  let head = Buffer.alloc(0);
  let left = 0;
  let drops = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      while (rest.length > 0) {
        if (left === 0) {
          const taken = rest.subarray(0, HEAD - head.length);
          rest = rest.subarray(taken.length);
          head = Buffer.concat([head, taken]);
          if (head.length < HEAD) break;
          drops = head[0] === NOTIFICATION && wanted();
          left = head.readInt32BE(1) - 4;
          if (!drops) this.push(head);
          head = Buffer.alloc(0);
        }
        const body = rest.subarray(0, left);
        rest = rest.subarray(body.length);
        left -= body.length;
        if (!drops && body.length > 0) this.push(body);
      }
      done();
    },
  });
}
