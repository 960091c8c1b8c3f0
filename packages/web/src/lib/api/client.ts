import type { ApiClient } from '@toolyard/protocol';
import { createApiClient, isAbortError } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import { ApiError, problemFrom } from './error.ts';
import { fetchWithSession, sessionFetch } from './session-fetch.ts';

export { ApiError } from './error.ts';

export type RequestOptions = {
  signal?: AbortSignal | undefined;
  /** If false, a request without a valid session fails instead of waiting until the user has signed in. */
  waits?: boolean;
};

export type Api = ApiClient<RequestOptions>;

let whenReached: () => void = () => undefined;

/** Called for every response, whatever its status: the server is reachable. */
export function onReached(listener: () => void): void {
  whenReached = listener;
}

let isClosing = false;

/**
 * Sends no further requests. A tool call that fails because closing the page cut its connection must not be reported as
 * if the tool had failed.
 */
export function stopRequests(): void {
  isClosing = true;
}

/** The HTTP API of the server that served this page. Every failure but an abort is an {@link ApiError}. */
export const api: Api = createApiClient<RequestOptions>({
  send: (path, init, options) => request(path, init, (response) => response.text(), options),
  createUnreadableError: () => createUnreadableError(200),
});

/**
 * Sends a request to this server and reads a successful response.
 *
 * @throws ApiError
 */
export async function request<T>(
  path: string,
  init: RequestInit,
  read: (response: Response) => Promise<T>,
  { signal, waits = true }: RequestOptions = {},
): Promise<T> {
  if (isClosing) return new Promise(() => undefined);
  const send = waits ? sessionFetch : fetchWithSession;
  const response = await orNetworkError(send(path, { ...init, signal: signal ?? null }));
  whenReached();
  if (response.ok) return orNetworkError(read(response));
  throw problemFrom(response.status, await orNetworkError(response.text())) ?? createUnreadableError(response.status);
}

async function orNetworkError<T>(received: Promise<T>): Promise<T> {
  try {
    return await received;
  } catch (error) {
    if (isAbortError(error)) throw error;
    throw createNetworkError();
  }
}

export function createNetworkError(): ApiError {
  return new ApiError({ code: 'network', status: 0, detail: t('errors.network'), hint: t('errors.networkHint') });
}

function createUnreadableError(status: number): ApiError {
  return new ApiError({ code: 'bad_response', status, detail: t('errors.unreadable', { status: String(status) }) });
}
