/** What stands at one place of a text: a whole marker, what may become one, or neither. */
export type MarkerMatch = { kind: 'whole'; marker: string } | { kind: 'partial' } | { kind: 'none' };

const none: MarkerMatch = { kind: 'none' };
const partial: MarkerMatch = { kind: 'partial' };

/** Looks for one of `markers` at `at`. `partial` only where the text ends before the marker could be whole. */
export function matchMarker(text: string, at: number, markers: readonly string[]): MarkerMatch {
  let maybe = false;
  for (const marker of markers) {
    if (text.startsWith(marker, at)) return { kind: 'whole', marker };
    if (text.length - at < marker.length && marker.startsWith(text.slice(at))) maybe = true;
  }
  return maybe ? partial : none;
}

/** True for the whitespace that surrounds markers: ASCII only, so that no written character is ever dropped. */
export function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
