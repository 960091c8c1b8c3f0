import { imageTypeOf, ToolyardError } from '@toolyard/protocol';
import type { ServerIcon } from '../types.ts';

const MAX_BYTES = 256 * 1_024;

/** Scripts, handlers, embedded documents, entities, and references to anything outside the document. */
const ACTIVE_SVG =
  /<\s*(script|foreignobject|iframe|image|use|animate|set|style)\b|\son\w+\s*=|<!(doctype|entity)|javascript:|href\s*=\s*["'](?!#)|url\(\s*["']?(?!#)/i;

/**
 * The icon of a server as a `data:` URL, of bytes that were checked: the type is that of the content, whatever the
 * server declares.
 *
 * @param fetch requests the icon, following redirects as the caller allows
 * @throws ToolyardError `bad_response` if it is not a small image, or the error of the request
 * @example
 * const dataUrl = await readIconImage({ src: 'https://example.com/icon.png' }, (url) => fetch(url));
 */
export async function readIconImage({ src }: ServerIcon, fetch: (url: string) => Promise<Response>): Promise<string> {
  const bytes = src.startsWith('data:') ? bytesOfDataUrl(src) : await readBytes(await fetch(src), src);
  return `data:${detectType(bytes)};base64,${btoa(latin1(bytes))}`;
}

function bytesOfDataUrl(url: string): Uint8Array {
  const [, head = '', data = ''] = /^data:([^,]*),(.*)$/s.exec(url) ?? [];
  try {
    if (!/;base64$/i.test(head)) return new TextEncoder().encode(decodeURIComponent(data));
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    throw createNotAnImageError('Its data: URL is invalid.');
  }
}

async function readBytes(response: Response, url: string): Promise<Uint8Array> {
  if (!response.ok)
    throw createNotAnImageError(`${new URL(url).host} answered with status ${String(response.status)}.`);
  const bytes = new Uint8Array(MAX_BYTES);
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    if (size + chunk.byteLength > MAX_BYTES) throw createTooLargeError();
    bytes.set(chunk, size);
    size += chunk.byteLength;
  }
  return bytes.subarray(0, size);
}

function detectType(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_BYTES) throw createTooLargeError();
  const type = imageTypeOf(latin1(bytes));
  if (type === null) throw createNotAnImageError('It is not a PNG, JPEG, GIF, WebP, AVIF or SVG image.');
  if (type === 'image/svg+xml' && ACTIVE_SVG.test(new TextDecoder().decode(bytes))) {
    throw createNotAnImageError('The SVG image contains scripts or references.');
  }
  return type;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

function createTooLargeError(): ToolyardError {
  return createNotAnImageError(`It is larger than ${String(MAX_BYTES)} bytes.`);
}

function createNotAnImageError(why: string): ToolyardError {
  return new ToolyardError({ code: 'bad_response', message: `The server’s icon cannot be shown. ${why}` });
}
