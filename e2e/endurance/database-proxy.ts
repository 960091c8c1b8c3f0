import { Transform } from 'node:stream';
import type { ConnectionProxy } from '../support/connection-proxy.ts';
import { startConnectionProxy } from '../support/connection-proxy.ts';

/** A proxy between one process and PostgreSQL. */
export type DatabaseProxy = ConnectionProxy & {
  /** Drop notifications, and nothing else, while true. */
  deaf: boolean;
};

/** Starts a proxy to the PostgreSQL on a port of this machine. */
export async function startDatabaseProxy(portBehind: number): Promise<DatabaseProxy> {
  const hearing = { deaf: false };
  const line = await startConnectionProxy(
    () => portBehind,
    () => withoutNotifications(() => hearing.deaf),
  );
  return Object.assign(hearing, line);
}

const NOTIFICATION = 'A'.charCodeAt(0);
/** A type byte and a length that includes itself but not the type byte. */
const HEAD = 5;

/** Parses PostgreSQL messages and drops notifications on demand. */
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
