import { isText, isTextType, mediaTypeOf } from './media-type.ts';
import type { MediaSource } from './schemas/parts.ts';

/** Characters of base64 that are enough to detect a type; a multiple of 4. */
const HEAD = 2048;

/** Types whose bytes are never text for a reader, whatever they look like. */
const MEDIA = /^(?:image|audio|video|font)\/|^application\/pdf$/;

/**
 * The text of inline bytes; null if they are not in the part, or are no text. Rule: bytes decide and not their label,
 * which only says what the encoding is.
 */
export function textOfSource(source: MediaSource, mimeType: string): string | null {
  if (!('data' in source)) return null;
  try {
    const head = atob(source.data.slice(0, HEAD));
    const type = mediaTypeOf(head, mimeType);
    if (type === null || (!isTextType(type) && (MEDIA.test(type) || !isText(head)))) return null;
    return decoded(
      Uint8Array.from(atob(source.data), (char) => char.charCodeAt(0)),
      mimeType,
    );
  } catch {
    return null;
  }
}

/** The text of bytes by their byte order mark, the `charset` of their label, or as UTF-8. */
function decoded(bytes: Uint8Array, label: string): string {
  const mark = { '255,254': 'utf-16le', '254,255': 'utf-16be' }[bytes.subarray(0, 2).join()];
  const charset = mark ?? /charset=["']?([\w-]+)/i.exec(label)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
