import type { MediaSource } from './schemas/parts.ts';

/** True for types whose bytes are text. */
function isTextType(mimeType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|javascript)\b/i.test(mimeType);
}

/** The text of inline bytes of such a type; null for other types, and if the bytes are not in the part. */
export function textOfSource(source: MediaSource, mimeType: string): string | null {
  if (!('data' in source) || !isTextType(mimeType)) return null;
  try {
    const binary = atob(source.data);
    return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    return '[not readable as text]';
  }
}
