import type { ImagePart } from '@toolyard/protocol';

/** An image from a `data:` URL or an http(s) URL; null for anything else. */
export function dataImage(address: string): ImagePart | null {
  const inPlace = /^data:(image\/[\w.+-]+);base64,/.exec(address);
  if (inPlace?.[1] !== undefined) {
    return { type: 'image', mimeType: inPlace[1], source: { data: address.slice(inPlace[0].length) } };
  }
  return /^https?:\/\//.test(address) ? { type: 'image', mimeType: 'image/*', source: { url: address } } : null;
}

/** The media type of an image, derived from the first characters of its base64. */
export function imageTypeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  if (base64.startsWith('UklGR')) return 'image/webp';
  return 'image/png';
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
