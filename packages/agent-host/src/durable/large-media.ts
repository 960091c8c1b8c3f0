/** Larger media is stored as a blob, never in a row. */
const MAX_INLINE_BYTES = 65_536;
const MAX_INLINE_CHARACTERS = (MAX_INLINE_BYTES * 4) / 3;

/**
 * True if `value` may contain media that belongs in the blob store. Large texts of tool results were moved there when the
 * tool answered (`RunAccess.keepResult`).
 */
export function holdsLargeMedia(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('source' in value && isLarge(value.source)) return true;
  for (const inner of Object.values(value)) if (holdsLargeMedia(inner)) return true;
  return false;
}

function isLarge(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('data' in source)) return false;
  return typeof source.data === 'string' && source.data.length > MAX_INLINE_CHARACTERS;
}
