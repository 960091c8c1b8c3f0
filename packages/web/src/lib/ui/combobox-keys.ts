/** Rows that Page Up and Page Down move over. */
const PAGE = 8;

/** The option that a key moves to in a list with a search field, around the ends by arrows; null for other keys. */
export function optionAfterKey(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return (active + 1) % count;
    case 'ArrowUp':
      return (active - 1 + count) % count;
    case 'PageDown':
      return Math.min(count - 1, active + PAGE);
    case 'PageUp':
      return Math.max(0, active - PAGE);
    default:
      return null;
  }
}
