import type { Clock, IdSource } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';

/**
 * UUIDv7 (RFC 9562): sorts by time of making. Within a millisecond a counter keeps the order, so that ids of one
 * process never run backwards.
 */
export function createUuidSource(clock: Pick<Clock, 'now'> = systemClock): IdSource {
  const bytes = new Uint8Array(16);
  let lastTime = 0;
  let counter = 0;
  return {
    next() {
      crypto.getRandomValues(bytes);
      const now = clock.now();
      if (now > lastTime) {
        lastTime = now;
        counter = (((bytes[6] ?? 0) << 8) | (bytes[7] ?? 0)) & 0x07ff;
      } else if (++counter > 0x0fff) {
        lastTime++;
        counter = 0;
      }
      const time = lastTime.toString(16).padStart(12, '0');
      const ordered = counter.toString(16).padStart(3, '0');
      const variant = (((bytes[8] ?? 0) & 0x3f) | 0x80).toString(16);
      let random = '';
      for (let i = 9; i < 16; i++) random += (bytes[i] ?? 0).toString(16).padStart(2, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${ordered}-${variant}${random.slice(0, 2)}-${random.slice(2)}`;
    },
  };
}
