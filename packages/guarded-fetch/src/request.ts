import { readUrl } from './hosts.ts';
import type { FetchRefusal } from './refusals.ts';

/** A body that can be sent as often as needed, or a stream that can be sent once. */
type RequestBody =
  | { kind: 'none' }
  | { kind: 'replayable'; value: string | URLSearchParams | Blob | ArrayBuffer | NodeJS.ArrayBufferView }
  | { kind: 'stream'; value: ReadableStream | AsyncIterable<Uint8Array> };

/** One request of a chain of redirects. */
export type Hop = { url: URL; method: string; headers: Headers; body: RequestBody };

/** Reads what a caller of fetch passed. */
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
    // The fetch behind this one knows only its own class of form.
    const encoded = new Response(body);
    const type = encoded.headers.get('content-type');
    if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
    return { kind: 'replayable', value: await encoded.arrayBuffer() };
  }
  return { kind: 'stream', value: body as ReadableStream | AsyncIterable<Uint8Array> };
}

const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];

/**
 * Headers another origin may see. A list of what goes along, not of what stays behind: keys travel under any name
 * their provider thought of.
 */
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
 * The request a redirect asks for, by the rules of the Fetch standard (section "HTTP-redirect fetch"), and stricter
 * in two things: all headers that are not known to be harmless stay behind when the origin changes, and a body does
 * not go from https to http.
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

/** Where a response sends us: null if nowhere, `unreadable` if nobody can tell. */
export function redirectOf(
  response: { status: number; headers: { get(name: string): string | null } },
  from: URL,
): URL | 'unreadable' | null {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null) return null;
  // Header bytes arrive as Latin-1; servers that do not escape them mean UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  return readUrl(text, from) ?? 'unreadable';
}
