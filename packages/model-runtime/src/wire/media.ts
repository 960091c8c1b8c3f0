import type { ImagePart, MediaSource } from '@toolyard/protocol';
import { mediaTypeOf } from '@toolyard/protocol';

/** Media to send: bytes as standard base64 with their real type, or a URL. `problem`: why it cannot be sent. */
export type Media = { mimeType: string; data: string } | { url: string } | { problem: string };

const cache = new WeakMap<MediaSource, Media>();

/**
 * Reads media of a message. Rule: its bytes decide, not its label. Tools deliver wrong types, `data:` URLs in place of
 * bytes, and base64 with line breaks or of the URL-safe alphabet; a provider that receives them rejects this and every
 * later request of the conversation.
 */
export function readMedia(source: MediaSource, label: string): Media {
  let media = cache.get(source);
  if (media === undefined) cache.set(source, (media = read(source, label)));
  return media;
}

function read(source: MediaSource, label: string): Media {
  if ('blob' in source) return { problem: 'not available' };
  const address = 'url' in source ? source.url.trim() : '';
  if ('url' in source && !/^data:/i.test(address)) {
    return /^(https?|gs):\/\//i.test(address) ? { url: address } : { problem: 'its URL is of this machine' };
  }
  const data = toBase64('url' in source ? address : source.data);
  if (data === null) return { problem: 'its data is damaged' };
  if (data === '') return { problem: 'it is empty' };
  const mimeType = mediaTypeOf(atob(data.slice(0, HEAD)), labelOf('url' in source ? address : source.data) ?? label);
  return mimeType === null ? { problem: `its data is not ${label}` } : { mimeType, data };
}

/** Characters of base64 that are enough to detect a type; a multiple of 4. */
const HEAD = 2048;

function labelOf(data: string): string | null {
  return /^\s*data:([\w.+-]+\/[\w.+-]+)/i.exec(data.slice(0, 300))?.[1] ?? null;
}

/** Standard base64 with padding; null if the text is not base64. */
function toBase64(text: string): string | null {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return text;
  const header = /^\s*data:([^,]{0,300}),/i.exec(text.slice(0, 400));
  const content = header === null ? text : text.slice(header[0].length);
  if (header !== null && !/;\s*base64\s*$/i.test(header[1] ?? '')) return encoded(content);
  const plain = (content.includes('%') ? (unescaped(content) ?? '%') : content)
    .replace(/\s+/g, '')
    .replace(/=+$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(plain)) return null;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}

/** The base64 of a percent-encoded text. */
function encoded(content: string): string | null {
  const text = unescaped(content);
  return text === null ? null : base64Of(new TextEncoder().encode(text));
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** An image from a `data:` URL or an http(s) URL; null for anything else. */
export function dataImage(address: string): ImagePart | null {
  const inPlace = /^data:(image\/[\w.+-]+);base64,/.exec(address);
  if (inPlace?.[1] !== undefined) {
    return { type: 'image', mimeType: inPlace[1], source: { data: address.slice(inPlace[0].length) } };
  }
  return /^https?:\/\//.test(address) ? { type: 'image', mimeType: 'image/*', source: { url: address } } : null;
}

/** The media type of an image that a provider created. */
export function imageTypeOf(base64: string): string {
  const media = readMedia({ data: base64 }, 'image/png');
  return 'mimeType' in media ? media.mimeType : 'image/png';
}

/** Decodes base64. Throws if it is invalid. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Encodes base64. */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // In chunks: the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
