import type { Clock, Principal } from '@toolyard/protocol';
import type { Authentication } from './authentication.ts';

/** How often an open connection checks that its credential is still valid, in milliseconds. */
export const CHECK_EVERY_MS = 15_000;

/** Calls `end` if the session or API key was revoked or has expired. A storage error does not end the connection. */
export function endIfInvalid(
  isStillValid: Authentication['isStillValid'],
  principal: Principal,
  end: () => void,
): Promise<void> {
  return isStillValid(principal).then(
    (valid) => void (valid || end()),
    () => undefined,
  );
}

/** Checks repeatedly until the returned function is called. */
export function watchCredential(
  { isStillValid, clock }: Pick<Authentication, 'isStillValid'> & { clock: Pick<Clock, 'after'> },
  principal: Principal,
  end: () => void,
): () => void {
  let callOff = (): void => undefined;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    callOff();
  };
  const check = (): void => {
    callOff = clock.after(CHECK_EVERY_MS, () => {
      void endIfInvalid(isStillValid, principal, () => {
        if (!isOver) end();
        stop();
      }).then(() => isOver || check());
    });
  };
  check();
  return stop;
}
