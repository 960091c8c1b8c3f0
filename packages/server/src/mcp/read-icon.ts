import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, readBody } from '@toolyard/guarded-fetch';
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
  const bytes = await readBody(response, MAX_BYTES);
  if (bytes === null) throw tooLarge();
  return bytes;
}

function typeOf(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_BYTES) throw tooLarge();
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

function tooLarge(): ToolyardError {
  return notAnImage(`It is larger than ${MAX_BYTES} bytes.`);
}

function notAnImage(why: string): ToolyardError {
  return new ToolyardError({ code: 'bad_response', message: `The server’s icon cannot be shown. ${why}` });
}
