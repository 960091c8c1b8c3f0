import type { Fetch } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import type { CallGuard } from './call-guard.ts';
import { baseUrlCandidates, endpointUrl } from './base-url.ts';
import type { ApiDialect } from './dialect.ts';
import {
  looksLikeHtml,
  readProviderError,
  toModelError,
  type ErrorContext,
  type ProviderFault,
} from './provider-error.ts';

/** Outcome of a request. `failed`: fetch threw. */
export type EndpointOutcome =
  | { kind: 'answered'; response: Response }
  /** `streamed`: the error is the first event of a stream, and `status` is its own code; 0: it has none. */
  | { kind: 'refused'; status: number; headers: Headers; error: ProviderFault; streamed?: true }
  /** `reason`: what the server says, unless it is a web page. */
  | { kind: 'wrong_address'; triedUrls: string[]; foundPage: boolean; reason: string }
  | { kind: 'failed'; url: string; thrown: unknown };

/** Maximum length of an error body, in characters. */
const MAX_ERROR_BODY = 64_000;

/** The API of one server, wherever below the given base URL it is. */
export class Endpoint {
  readonly #candidates: readonly string[];
  readonly #fetch: Fetch;
  readonly #dialect: Pick<ApiDialect, 'addresses' | 'readError'>;
  /** The base URL that worked. */
  #known: string | null = null;

  constructor(baseUrl: string, dialect: Pick<ApiDialect, 'addresses' | 'readError'>, fetch: Fetch) {
    this.#candidates = baseUrlCandidates(baseUrl, dialect.addresses);
    this.#dialect = dialect;
    this.#fetch = fetch;
  }

  /**
   * Sends a request; if there is no API at the first base URL, tries the other one. `isRejection`: whether an error is
   * about the request whatever its status. Throws what stopped `guard`.
   */
  async send(
    path: string,
    init: RequestInit,
    guard: CallGuard,
    context: ErrorContext,
    isRejection: (status: number, error: ProviderFault) => boolean = () => false,
  ): Promise<EndpointOutcome> {
    const triedUrls: string[] = [];
    let foundPage = false;
    let reason = '';
    for (const base of this.#known === null ? this.#candidates : [this.#known]) {
      const url = endpointUrl(base, path);
      let response: Response;
      try {
        response = await guard.wait(this.#fetch(url, { ...init, signal: guard.signal }));
      } catch (thrown) {
        if (guard.stopped !== null) throw guard.stopped;
        return { kind: 'failed', url, thrown };
      }

      const isHtml = /\bhtml\b/i.test(response.headers.get('content-type') ?? '');
      if (response.ok && !isHtml) {
        this.#known = base;
        return { kind: 'answered', response };
      }
      const body = await readBounded(response, guard);
      const error = readProviderError(body, (value) => this.#dialect.readError?.(value, response.headers) ?? null);
      const { status, headers } = response;
      const noApi = response.ok || status === 404 || status === 405;
      const page = isHtml || looksLikeHtml(body);
      const code = toModelError(error, status, context).code;
      if (!noApi || (!page && (code !== 'not_a_model_server' || isRejection(status, error))))
        return { kind: 'refused', status, headers, error };
      foundPage ||= page;
      if (reason === '' && !page) reason = error.message;
      triedUrls.push((base.replace(/\?.*/, '') + path).replace(/\?.*/, ''));
    }
    this.#known = null;
    return { kind: 'wrong_address', triedUrls, foundPage, reason };
  }
}

/** The body as text, up to the limit; empty if it cannot be read. */
export async function readBounded(response: Response, guard: CallGuard, limit = MAX_ERROR_BODY): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < limit) {
      const bytes = await guard.read(reader);
      if (bytes === null) return text + decoder.decode();
      text += decoder.decode(bytes, { stream: true });
    }
    return text.slice(0, limit);
  } catch {
    if (guard.stopped !== null) throw guard.stopped;
    return text;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The body as bytes. Throws what stopped `guard`, or the connection error. */
export async function readBytes(response: Response, guard: CallGuard, limit: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const bytes = await guard.read(reader);
      if (bytes === null) break;
      pieces.push(bytes);
      size += bytes.length;
      if (size > limit)
        throw new ToolyardError({ code: 'bad_response', message: say`The response is larger than ${limit} bytes.` });
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return joinBytes(pieces, size);
}

/** Bytes in pieces as one array of `size` bytes. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
