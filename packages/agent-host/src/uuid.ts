import type { Clock, IdSource } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';

const HEX = Array.from({ length: 256 }, (_none, byte) => byte.toString(16).padStart(2, '0'));
const BYTES_AN_ID = 10;
/** Random bytes are fetched for many ids at once, since the system call dominates the cost. */
const POOL_SIZE = 128 * BYTES_AN_ID;

/**
 * UUIDv7 (RFC 9562): sorts by creation time. A counter keeps the order within a millisecond, so that the ids of one
 * process always increase.
 *
 * @example
 * const ids = createUuidSource();
 * console.log(ids.next() < ids.next()); // true
 */
export function createUuidSource(clock: Pick<Clock, 'now'> = systemClock): IdSource {
  const pool = new Uint8Array(POOL_SIZE);
  let next = POOL_SIZE;
  let lastTime = 0;
  let counter = 0;
  const random = (): number => pool[next++] ?? 0;
  return {
    next() {
      if (next + BYTES_AN_ID > POOL_SIZE) {
        crypto.getRandomValues(pool);
        next = 0;
      }
      // Half of the counter's range stays free for further ids of the millisecond.
      const fresh = ((random() << 8) | random()) & 0x07ff;
      const now = clock.now();
      if (now > lastTime) {
        lastTime = now;
        counter = fresh;
      } else if (++counter > 0x0fff) {
        lastTime++;
        counter = 0;
      }
      const time = lastTime.toString(16).padStart(12, '0');
      const ordered = counter.toString(16).padStart(3, '0');
      const variant = HEX[(random() & 0x3f) | 0x80];
      const clockTail = HEX[random()];
      let node = '';
      for (let i = 0; i < 6; i++) node += HEX[random()];
      return `${time.slice(0, 8)}-${time.slice(8)}-7${ordered}-${variant}${clockTail}-${node}`;
    },
  };
}
