import type { Failpoint } from '@toolyard/protocol';

/** What happens at a failpoint: it may throw, wait, or end the process. */
export type FailpointAction = () => void | Promise<void>;

/** A {@link Failpoint} whose places a test arms; places that are not armed let everything pass. */
export type Failpoints = Failpoint & {
  /**
   * Arms a place. Without `hit` the action runs whenever the place is passed; with it only the nth time, counted from
   * one and from now on. A second action for the same place takes the place of the first.
   */
  at(name: string, action: FailpointAction, options?: { hit?: number }): void;
  /** Disarms a place. */
  clear(name: string): void;
  /** Every place passed so far, in order, armed or not. */
  readonly passed: readonly string[];
};

/**
 * Makes failpoints to hand to the code under test.
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

/** An action that ends this process as a power cut would: nothing is flushed, no handler runs. */
export const killThisProcess: FailpointAction = () => {
  process.kill(process.pid, 'SIGKILL');
};
