import type { Failpoint } from '@toolyard/protocol';

/** The action of a failpoint: it may throw, wait, or kill the process. */
export type FailpointAction = () => void | Promise<void>;

/** A {@link Failpoint} whose names a test arms; unarmed ones have no effect. */
export type Failpoints = Failpoint & {
  /**
   * Arms a failpoint. Without `hit` the action runs on every pass; with it only on the nth, counted from one and from
   * now on. A second action for the same name replaces the first.
   */
  at(name: string, action: FailpointAction, options?: { hit?: number }): void;
  /** Disarms a failpoint. */
  clear(name: string): void;
  /** All failpoints passed so far, in order, armed or not. */
  readonly passed: readonly string[];
};

/**
 * Creates failpoints to pass to the code under test.
 *
 * @example
 * const failpoints = createFailpoints();
 * failpoints.at('before-commit', () => { throw new Error('disk full'); });
 * const store = openStore({ failpoint: failpoints });
 */
export function createFailpoints(): Failpoints {
  const armed = new Map<string, { action: FailpointAction; hitsLeft: number | undefined }>();
  const passed: string[] = [];

  const failpoint: Failpoint = (name) => {
    passed.push(name);
    const place = armed.get(name);
    if (place === undefined) return;
    if (place.hitsLeft === undefined) return place.action();
    place.hitsLeft--;
    if (place.hitsLeft === 0) return place.action();
  };

  return Object.assign(failpoint, {
    at(name: string, action: FailpointAction, options: { hit?: number } = {}) {
      armed.set(name, { action, hitsLeft: options.hit });
    },
    clear(name: string) {
      armed.delete(name);
    },
    passed,
  });
}

/** An action that kills this process like a power failure: nothing is flushed, no handler runs. */
export const killThisProcess: FailpointAction = () => {
  process.kill(process.pid, 'SIGKILL');
};
