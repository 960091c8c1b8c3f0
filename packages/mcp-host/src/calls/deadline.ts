import type { Clock } from '@toolyard/protocol';

/** A time-out that signs of life put off, and that stands still while a person is asked. */
export type Deadline = {
  /** A sign of life. */
  renew(): void;
  /** Stops the time until what is returned is called. */
  suspend(): () => void;
  /** Nobody waits any more. */
  end(): void;
};

/**
 * @param silenceMs how long nothing may be heard
 * @param totalMs how long it may take in all, signs of life or not; time that stood still is not counted
 */
export function startDeadline(clock: Clock, silenceMs: number, totalMs: number, expire: () => void): Deadline {
  let holds = 0;
  let hasEnded = false;
  let leftMs = totalMs;
  let runsSince = clock.monotonic();
  let callOff: () => void = () => undefined;

  const start = (): void => {
    callOff();
    if (hasEnded || holds > 0) return;
    const left = leftMs - (clock.monotonic() - runsSince);
    callOff = clock.after(Math.max(0, Math.min(silenceMs, left)), expire);
  };
  start();
  return {
    renew: start,
    suspend() {
      if (holds++ === 0) {
        leftMs -= clock.monotonic() - runsSince;
        callOff();
      }
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        if (--holds > 0) return;
        runsSince = clock.monotonic();
        start();
      };
    },
    end() {
      hasEnded = true;
      callOff();
    },
  };
}
