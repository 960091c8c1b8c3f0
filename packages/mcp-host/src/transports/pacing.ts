import type { Clock } from '@toolyard/protocol';

/**
 * The rule: **a flood delays its own server only.** After so many lines of a server everything else in this process has its
 * turn, whatever the lines contain.
 */
export const LINES_PER_TURN = 200;

/** The same for messages that cannot be held back; far more than a server sends while this process is busy. */
export const MESSAGES_PER_TURN = 10_000;

const REST_MS = 1;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The pause after {@link LINES_PER_TURN}. */
export function rest(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(REST_MS, resolve));
}

/** Passes an event stream on in pieces, with a pause after each. */
export function pacedLines(clock: Clock): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let lines = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      let start = 0;
      for (let at = 0; at < chunk.length; at++) {
        if (chunk[at] !== NEWLINE && chunk[at] !== RETURN) continue;
        if (++lines < LINES_PER_TURN) continue;
        lines = 0;
        controller.enqueue(chunk.subarray(start, at + 1));
        start = at + 1;
        await rest(clock);
      }
      if (start < chunk.length) controller.enqueue(chunk.subarray(start));
    },
  });
}
