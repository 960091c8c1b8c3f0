import type { Fetch } from '@toolyard/protocol';
import { browserValue } from '../browser-storage.ts';

/** Header of the session's secret. On a 401 of this server it says that signing in helps. */
const SESSION_HEADER = 'x-toolyard-session';

const kept = browserValue<string | null>('session-secret', {
  version: 1,
  read: (value) => (typeof value === 'string' ? value : undefined),
  fallback: null,
});
/** For a browser that keeps nothing: the session lasts as long as the page. */
let unkept: string | null = null;

/**
 * The secret of this browser's session. Cookies are also sent to other ports of the host; this is kept by the origin
 * of the page, so only this page can send both.
 */
export const sessionSecret = {
  get: (): string | null => kept.get() ?? unkept,
  set(secret: string | null): void {
    unkept = secret;
    kept.set(secret);
  },
  /** Hears of sign-ins and sign-outs in other tabs. */
  watch: (listener: () => void): (() => void) => kept.watch(listener),
};

/** Adds the secret to a request to this server. */
export function withSecret(init: RequestInit = {}): RequestInit {
  const secret = sessionSecret.get();
  const headers = new Headers(init.headers);
  if (secret !== null) headers.set(SESSION_HEADER, secret);
  return { ...init, headers, credentials: 'same-origin' };
}

let askForSignIn: () => void = () => undefined;

/** Called when a request waits for the user to sign in. */
export function onSignInNeeded(listener: () => void): void {
  askForSignIn = listener;
}

let signIn: PromiseWithResolvers<void> | null = null;

/** Lets the requests go on that wait for a sign-in. */
export function resumeAfterSignIn(): void {
  signIn?.resolve();
  signIn = null;
}

/**
 * A fetch from this server. If the session has ended it waits until the user has signed in again, and repeats the
 * request: an expired session interrupts work and loses none of it.
 */
export const sessionFetch: Fetch = createSessionFetch((input, init) => fetch(input, init));

export function createSessionFetch(send: Fetch): Fetch {
  return async (input, init = {}) => {
    for (;;) {
      const used = sessionSecret.get();
      const response = await send(input, withSecret(init));
      // A server behind the proxy may answer 401, too; it cannot set this header.
      if (response.status !== 401 || !response.headers.has(SESSION_HEADER)) return response;
      // Signed in meanwhile, here or in another tab.
      if (sessionSecret.get() !== used) continue;
      signIn ??= Promise.withResolvers();
      const until = signIn.promise;
      askForSignIn();
      await orAborted(until, init.signal ?? null);
    }
  };
}

function orAborted(promise: Promise<void>, signal: AbortSignal | null): Promise<void> {
  if (signal === null) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
