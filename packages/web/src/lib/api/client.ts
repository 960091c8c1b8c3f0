import type { UploadedFile } from '@toolyard/protocol';
import { defined, isAbortError } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import { ApiError, problemFrom } from './error.ts';
import { sessionFetch, withSecret } from './session-fetch.ts';

export { ApiError } from './error.ts';

type Options = {
  signal?: AbortSignal;
  /** False: a request without a valid session fails, instead of waiting until the user has signed in. */
  waits?: boolean;
};

let whenReached: () => void = () => undefined;

/** Called for every answer, whatever it says: the server is there. */
export function onReached(listener: () => void): void {
  whenReached = listener;
}

let isClosing = false;

/**
 * From now on nothing is asked of the server or told to it: what ends only because the page is being closed (a call to
 * a tool, whose connection goes with the page) must not look as if it had ended by itself.
 */
export function fallSilent(): void {
  isClosing = true;
}

/** The HTTP API of the server that served this page. Every failure but an abort is an {@link ApiError}. */
export const api = {
  get: <T>(path: string, options: Options = {}): Promise<T> => request<T>('GET', path, undefined, options),
  post: <T>(path: string, body: object = {}, options: Options = {}): Promise<T> =>
    request<T>('POST', path, asJson(body), options),
  patch: <T>(path: string, body: object, options: Options = {}): Promise<T> =>
    request<T>('PATCH', path, asJson(body), options),
  put: <T>(path: string, body: unknown, options: Options = {}): Promise<T> =>
    request<T>('PUT', path, asJson(body), options),
  delete: <T = void>(path: string, options: Options = {}): Promise<T> =>
    request<T>('DELETE', path, asJson({}), options),
  upload: (file: Blob, options: Options = {}): Promise<UploadedFile> =>
    request('POST', '/api/files', { content: file, type: file.type || 'application/octet-stream' }, options),
  /** For `sessionFetch`; what loads by itself needs `fileUrls`. */
  filePath: (sha256: string): string => `/api/files/${encodeURIComponent(sha256)}`,
};

type Body = { content: string | Blob; type: string };

function asJson(body: unknown): Body {
  return { content: JSON.stringify(body), type: 'application/json' };
}

async function request<T>(method: string, path: string, body: Body | undefined, options: Options): Promise<T> {
  if (isClosing) return new Promise(() => undefined);
  const { signal, waits = true } = options;
  const send = waits ? sessionFetch : (input: string, init: RequestInit) => fetch(input, withSecret(init));
  let response: Response;
  let text: string;
  try {
    response = await send(path, {
      method,
      headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': body.type }) },
      ...(body === undefined ? {} : { body: body.content }),
      ...defined({ signal }),
    });
    text = await response.text();
  } catch (error) {
    if (isAbortError(error)) throw error;
    throw new ApiError({ code: 'network', status: 0, detail: t('errors.network'), hint: t('errors.networkHint') });
  }
  whenReached();
  if (!response.ok) {
    throw problemFrom(response.status, text, {
      unreadable: t('errors.unreadable', { status: String(response.status) }),
    });
  }
  // What the server answers has the shape both sides share as types; it serves this page, so it is of its version.
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
