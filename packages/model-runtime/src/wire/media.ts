import type { ImagePart } from '@toolyard/protocol';

/** A picture given as a `data:` address or at one of the web; null for anything else. */
export function dataImage(address: string): ImagePart | null {
  const inPlace = /^data:(image\/[\w.+-]+);base64,/.exec(address);
  if (inPlace?.[1] !== undefined) {
    return { type: 'image', mimeType: inPlace[1], source: { data: address.slice(inPlace[0].length) } };
  }
  return /^https?:\/\//.test(address) ? { type: 'image', mimeType: 'image/*', source: { url: address } } : null;
}

/** The kind of a picture of which only the bytes are known, by how their base64 begins. */
export function imageTypeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  if (base64.startsWith('UklGR')) return 'image/webp';
  return 'image/png';
}

/** Bytes of base64. Throws for what is none. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Base64 of bytes. */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
