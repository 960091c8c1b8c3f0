import type { Clock } from '@toolyard/protocol';

/** A timeout that {@link renew} restarts and that is suspended while a user is asked. */
export type Deadline = {
  /** Restarts the timeout: the server showed activity. */
  renew(): void;
  /** Stops the clock until the returned function is called. */
  suspend(): () => void;
  /** Cancels the timeout. */
  end(): void;
};

/**
 * @param silenceMs the longest time without activity
 * @param totalMs the longest time in all, with or without activity, excluding suspended time
 */
export function startDeadline(clock: Clock, silenceMs: number, totalMs: number, expire: () => void): Deadline {
  let suspensions = 0;
  let hasEnded = false;
  let remainingMs = totalMs;
  let runningSince = clock.monotonic();
  let cancelTimer: () => void = () => undefined;

  const start = (): void => {
    cancelTimer();
    if (hasEnded || suspensions > 0) return;
    const remaining = remainingMs - (clock.monotonic() - runningSince);
    cancelTimer = clock.after(Math.max(0, Math.min(silenceMs, remaining)), expire);
  };
  start();
  return {
    renew: start,
    suspend() {
      if (suspensions++ === 0) {
        remainingMs -= clock.monotonic() - runningSince;
        cancelTimer();
      }
      let isSuspended = true;
      return () => {
        if (!isSuspended) return;
        isSuspended = false;
        if (--suspensions > 0) return;
        runningSince = clock.monotonic();
        start();
      };
    },
    end() {
      hasEnded = true;
      cancelTimer();
    },
  };
}
