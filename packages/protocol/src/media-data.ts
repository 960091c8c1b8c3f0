import { isTextType, mediaTypeOf } from './media-type.ts';

/** Bytes as standard base64 with their real type. `problem`: why they cannot be used. */
export type MediaData = { mimeType: string; data: string } | { problem: string };

/** Characters of base64 that are enough to detect a type; a multiple of 4. */
const HEAD = 2048;

/** How often an encoding is removed from within another. */
const MAX_LAYERS = 3;

/**
 * Reads the bytes of media. Rule: whatever a text contains that has the signature of a type is that type. Tools deliver
 * wrong types, `data:` URLs in place of base64, base64 of base64, with line breaks, in quotes or of the URL-safe alphabet,
 * and the source of an SVG image.
 *
 * @param text base64, a `data:` URL, or the content itself if it is text
 * @param label its MIME type, or an empty string
 */
export function readMediaData(text: string, label: string): MediaData {
  return read(text, label, MAX_LAYERS);
}

function read(text: string, label: string, layers: number): MediaData {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return typed(text, label, layers);
  const { content, isEncoded, ownLabel } = unwrapped(text);
  const name = ownLabel ?? label;
  if (content.trim() === '') return { problem: 'it is empty' };
  const data = toBase64(content);
  const found = data === null ? null : typed(data, name, layers);
  if (found !== null && (isEncoded !== false || ('mimeType' in found && !isTextType(found.mimeType)))) return found;
  if (layers > 0 && isWrapped(content)) return read(content, name, layers - 1);
  const isText = isEncoded === false || isTextType(name) || mediaTypeOf(content.slice(0, HEAD), '') === 'image/svg+xml';
  return isText ? typed(base64OfText(content), name, 0) : { problem: 'its data is damaged' };
}

function typed(data: string, label: string, layers: number): MediaData {
  const head = atob(data.slice(0, HEAD));
  const mimeType = mediaTypeOf(head, label);
  if (layers > 0 && (mimeType === null || !isTextType(mimeType)) && /^[\w+/=:;,.-]{24,}$/.test(head)) {
    const inner = read(atob(data), label, layers - 1);
    if ('mimeType' in inner && mediaTypeOf(atob(inner.data.slice(0, HEAD)), '') === inner.mimeType) return inner;
  }
  if (mimeType !== null) return { mimeType, data };
  return { problem: label === '' ? 'its type is unknown' : `its data is not ${label}` };
}

type Unwrapped = {
  content: string;
  /** What a `data:` URL says; undefined without one. */
  isEncoded: boolean | undefined;
  ownLabel: string | undefined;
};

/** The header of base64, which may have lost its beginning (`image/png;base64,`), and that of other `data:` URLs. */
const ENCODED = /^(?:data:[^<>{}]*?;\s*|(?:[\w.+-]+\/[\w.+-]+\s*)?;?\s*)base64\s*(?:;[^,]*)?,/i;
const ESCAPED = /^data:[^,]*,/i;

/** Without quotes and the header of a `data:` URL. */
function unwrapped(text: string): Unwrapped {
  const trimmed = text.trim();
  const [prefix = '', quote = ''] = /^b?(["'])/.exec(trimmed) ?? [];
  const plain = quote !== '' && trimmed.endsWith(quote) ? trimmed.slice(prefix.length, -1) : trimmed;
  const start = plain.slice(0, 400);
  const encoded = ENCODED.exec(start)?.[0];
  const header = encoded ?? ESCAPED.exec(start)?.[0] ?? '';
  return {
    content: plain.slice(header.length),
    isEncoded: header === '' ? undefined : encoded !== undefined,
    ownLabel: /^(?:data:)?\s*([\w.+-]+\/[\w.+-]+)/i.exec(header)?.[1],
  };
}

function isWrapped(text: string): boolean {
  return /^\s*(?:data:|b?["'])/i.test(text);
}

/** Standard base64 with padding; null if the text is not base64. */
function toBase64(text: string): string | null {
  const plain = (text.includes('%') ? (unescaped(text) ?? '%') : text)
    .replace(/\\[nrt]|[\s\\\u200b]+/g, '')
    .replace(/=+$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(plain)) return null;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}

function base64OfText(content: string): string {
  return base64Of(new TextEncoder().encode(unescaped(content) ?? content));
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Encodes base64. */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // In chunks: the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
