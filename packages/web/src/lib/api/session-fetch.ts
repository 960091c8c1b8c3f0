import type { Fetch } from '@toolyard/protocol';
import { browserValue } from '../browser-storage.ts';

/** Header of the session's secret. This server also sets it on a 401 that a sign-in can solve. */
const SESSION_HEADER = 'x-toolyard-session';

const stored = browserValue<string | null>('session-secret', {
  version: 1,
  read: (value) => (typeof value === 'string' ? value : undefined),
  fallback: null,
});
/** Fallback if the browser stores nothing: the session then ends with the page. */
let inMemory: string | null = null;

/**
 * The secret of this browser's session. Cookies are also sent to other ports of the host; this secret is stored by
 * origin, so only this page can send both.
 */
export const sessionSecret = {
  get: (): string | null => stored.get() ?? inMemory,
  set(secret: string | null): void {
    inMemory = secret;
    stored.set(secret);
  },
  /** Notifies of sign-ins and sign-outs in other tabs. */
  watch: (listener: () => void): (() => void) => stored.watch(listener),
};

/**
 * A `fetch` for this server that carries the session. Every request of the page to its server goes through this or
 * {@link sessionFetch}: the raw `fetch` is unreachable by lint, because a request without the secret fails only for
 * users who have signed in.
 */
export const fetchWithSession: Fetch = (input, init) => fetch(input, withSecret(init));

/** Adds the secret to a request to this server. */
function withSecret(init: RequestInit = {}): RequestInit {
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

/** Sends the requests again that wait for a sign-in. */
export function resumeAfterSignIn(): void {
  signIn?.resolve();
  signIn = null;
}

/**
 * A `fetch` for this server. If the session has expired, it waits until the user has signed in and repeats the request,
 * so that no work is lost.
 */
export const sessionFetch: Fetch = createSessionFetch((input, init) => fetch(input, init));

export function createSessionFetch(send: Fetch): Fetch {
  return async (input, init = {}) => {
    for (;;) {
      const used = sessionSecret.get();
      const response = await send(input, withSecret(init));
      // A server behind the proxy may also answer 401, but cannot set this header.
      if (response.status !== 401 || !response.headers.has(SESSION_HEADER)) return response;
      // The user has signed in meanwhile, here or in another tab.
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
