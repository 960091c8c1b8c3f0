import { readMediaData, type ImagePart, type MediaData, type MediaSource } from '@toolyard/protocol';
import { remember } from './json-text.ts';

/** Media to send: bytes, or a URL. `problem`: why it cannot be sent. */
export type Media = MediaData | { url: string };

const cache = new WeakMap<MediaSource, Media>();

/**
 * Reads media of a message. Rule: its bytes decide, not its label: a provider that receives a wrong type rejects this and
 * every later request of the conversation.
 */
export function readMedia(source: MediaSource, label: string): Media {
  return remember(cache, source, () => read(source, label));
}

function read(source: MediaSource, label: string): Media {
  if ('blob' in source) return { problem: 'not available' };
  const text = 'url' in source ? source.url.trim() : source.data;
  if (/^\s*(https?|gs):\/\//i.test(text)) return { url: text.trim() };
  if ('url' in source && !/^data:/i.test(text)) return { problem: 'its URL is of this machine' };
  return readMediaData(text, label);
}

/** An image from a `data:` URL or an http(s) URL; null for anything else. */
export function dataImage(address: string): ImagePart | null {
  if (/^https?:\/\//i.test(address)) return { type: 'image', mimeType: 'image/*', source: { url: address } };
  const [header, label] = /^data:(image\/[\w.+-]+)?[^,]*,/i.exec(address.slice(0, 300)) ?? [];
  if (header === undefined) return null;
  const media = readMediaData(address, '');
  if ('data' in media && media.mimeType.startsWith('image/')) {
    return { type: 'image', mimeType: media.mimeType, source: { data: media.data } };
  }
  // An image of a type without a known signature.
  return label === undefined
    ? null
    : { type: 'image', mimeType: label, source: { data: address.slice(header.length) } };
}

/** The media type of an image that a provider created. */
export function getImageType(base64: string): string {
  const media = readMedia({ data: base64 }, 'image/png');
  return 'mimeType' in media ? media.mimeType : 'image/png';
}

/** Decodes base64. Throws if it is invalid. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
