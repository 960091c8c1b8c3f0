import { readUrl } from '@toolyard/protocol';
import type { FetchRefusal } from './refusals.ts';

/** A body that can be sent repeatedly, or a stream that can be sent once. */
type RequestBody =
  | { kind: 'none' }
  | { kind: 'replayable'; value: string | URLSearchParams | Blob | ArrayBuffer | NodeJS.ArrayBufferView }
  | { kind: 'stream'; value: ReadableStream | AsyncIterable<Uint8Array> };

/** One request in a chain of redirects. */
export type Hop = { url: URL; method: string; headers: Headers; body: RequestBody };

/** The first request, from the arguments of fetch. */
export async function firstHop(url: URL, init: RequestInit): Promise<Hop> {
  const headers = new Headers(init.headers);
  const method = /^(get|head|post|put|delete|options)$/i.test(init.method ?? 'GET')
    ? (init.method ?? 'GET').toUpperCase()
    : (init.method ?? 'GET');
  return { url, method, headers, body: await readBody(init.body ?? null, headers) };
}

async function readBody(body: NonNullable<RequestInit['body']> | null, headers: Headers): Promise<RequestBody> {
  if (body === null) return { kind: 'none' };
  if (typeof body === 'string' || body instanceof URLSearchParams || body instanceof Blob) {
    return { kind: 'replayable', value: body };
  }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { kind: 'replayable', value: body };
  if (body instanceof FormData) {
    // undici's fetch recognizes only its own FormData class.
    const encoded = new Response(body);
    const type = encoded.headers.get('content-type');
    if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
    return { kind: 'replayable', value: await encoded.arrayBuffer() };
  }
  return { kind: 'stream', value: body as ReadableStream | AsyncIterable<Uint8Array> };
}

const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];

/** Headers that are kept on another origin. An allow list, since API keys are sent in headers of any name. */
const HARMLESS_HEADERS = new Set([
  ...BODY_HEADERS,
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'if-modified-since',
  'if-none-match',
  'mcp-protocol-version',
  'range',
  'user-agent',
]);

/**
 * The request that follows a redirect, by the rules of the Fetch standard ("HTTP-redirect fetch"), stricter in two
 * points: headers that are not on the list of harmless ones are dropped on another origin, and a body is not sent from
 * https to http.
 */
export function nextHop(hop: Hop, status: number, url: URL): Hop | FetchRefusal {
  const headers = new Headers(hop.headers);
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.has(name)) headers.delete(name);
  }
  if (becomesGet(status, hop.method)) {
    for (const name of BODY_HEADERS) headers.delete(name);
    return { url, method: 'GET', headers, body: { kind: 'none' } };
  }
  if (hop.body.kind === 'stream') return { kind: 'body_gone', url };
  if (hop.body.kind !== 'none' && hop.url.protocol === 'https:' && url.protocol === 'http:') {
    return { kind: 'body_in_clear', url };
  }
  return { url, method: hop.method, headers, body: hop.body };
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The target of a redirect: null if the response is not a redirect, `unreadable` if the target is invalid. */
export function findRedirect(
  response: { status: number; headers: { get(name: string): string | null } },
  from: URL,
): URL | 'unreadable' | null {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null) return null;
  // Header bytes are decoded as Latin-1; servers that do not escape them mean UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  return readUrl(text, from) ?? 'unreadable';
}
