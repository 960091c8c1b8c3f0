import type { MediaSource } from '@toolyard/protocol';

/**
 * Where the media of a message may be loaded from: the message itself or this server. Other URLs are never loaded,
 * because that would tell their host who reads this, and when. `address` is null until it is known.
 */
export type MediaPlace = { type: 'here'; address: string | null } | { type: 'remote'; address: string; host: string };

/** Null for a URL that cannot be opened. */
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
  return { type: 'remote', address: address.href, host: address.host };
}

/** A plain type without parameters: nothing else may be written into a data URL. */
const SAFE_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
