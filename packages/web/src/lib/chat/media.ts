import type { MediaSource } from '@toolyard/protocol';

/**
 * Where bytes of a message may be loaded from: what the message itself holds, or this server. An address elsewhere
 * stays what it is; loading it would tell its host who reads this, and when. A null `address` is not known yet.
 */
export type MediaPlace =
  | { type: 'here'; address: string | null }
  | { type: 'elsewhere'; address: string; host: string };

/** Null for an address nobody can open. */
export function placeOfMedia(
  source: MediaSource,
  mimeType: string,
  fileUrl: (sha256: string) => string | null,
): MediaPlace | null {
  if ('blob' in source) return { type: 'here', address: fileUrl(source.blob) };
  if ('data' in source) {
    return SAFE_TYPE.test(mimeType) ? { type: 'here', address: `data:${mimeType};base64,${source.data}` } : null;
  }
  const address = URL.parse(source.url);
  if (address === null || !['http:', 'https:'].includes(address.protocol)) return null;
  return { type: 'elsewhere', address: address.href, host: address.host };
}

/** A type of its own, without parameters: nothing else may be written into an address. */
const SAFE_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
