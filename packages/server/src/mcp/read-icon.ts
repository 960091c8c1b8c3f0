import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch } from '@toolyard/guarded-fetch';
import type { ServerIcon } from '@toolyard/mcp-host';
import type { McpServerIcon } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

const MAX_BYTES = 256 * 1_024;
const TIMEOUT_MS = 10_000;

/** First bytes of the formats a browser draws without executing anything, as latin1. */
const IMAGES: readonly (readonly [start: RegExp, mimeType: string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
];

/** Scripts, handlers, embedded documents, entities, and references to anything outside the document. */
const ACTIVE_SVG =
  /<\s*(script|foreignobject|iframe|image|use|animate|set|style)\b|\son\w+\s*=|<!(doctype|entity)|javascript:|href\s*=\s*["'](?!#)|url\(\s*["']?(?!#)/i;

/**
 * The icon of a server as a `data:` URL, of bytes that were checked: the type is that of the content, whatever the
 * server declares. Any URL is fetched through the guard, which reaches the public internet only.
 *
 * @throws ToolyardError `bad_response` if it is not a small image, or the error of the request
 */
export async function readServerIcon(
  { src }: ServerIcon,
  signal: AbortSignal | undefined,
  fetch: GuardedFetch = createGuardedFetch({ trust: () => false, httpsOnly: true }),
): Promise<McpServerIcon> {
  try {
    const bytes = src.startsWith('data:') ? dataOf(src) : await fetchBytes(src, fetch, signal);
    return { src: `data:${typeOf(bytes)};base64,${Buffer.from(bytes).toString('base64')}` };
  } finally {
    await fetch.close();
  }
}

function dataOf(url: string): Uint8Array {
  const [, head = '', data = ''] = /^data:([^,]*),(.*)$/s.exec(url) ?? [];
  try {
    return /;base64$/i.test(head) ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
  } catch {
    throw notAnImage('Its data: URL is invalid.');
  }
}

async function fetchBytes(url: string, fetch: GuardedFetch, signal?: AbortSignal): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    headers: { accept: 'image/*' },
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  if (!response.ok) throw notAnImage(`${new URL(url).host} answered with status ${String(response.status)}.`);
  return readLimited(response);
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > MAX_BYTES) throw notAnImage(`It is larger than ${String(MAX_BYTES)} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function typeOf(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_BYTES) throw notAnImage(`It is larger than ${String(MAX_BYTES)} bytes.`);
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const image = IMAGES.find(([pattern]) => pattern.test(start));
  if (image !== undefined) return image[1];
  const text = new TextDecoder().decode(bytes).trimStart();
  if (!/^(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)*<svg[\s>]/i.test(text)) {
    throw notAnImage('It is not a PNG, JPEG, GIF, WebP or SVG image.');
  }
  if (ACTIVE_SVG.test(text)) throw notAnImage('The SVG image contains scripts or references.');
  return 'image/svg+xml';
}

function notAnImage(why: string): ToolyardError {
  return new ToolyardError({ code: 'bad_response', message: `The server’s icon cannot be shown. ${why}` });
}
