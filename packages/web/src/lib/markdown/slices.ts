/** How many new or changed slices are rendered in one frame: while a block grows, its last one and the next. */
export const SLICES_AT_ONCE = 2;

/** Divides a list that may grow: unchanged slices stay the same objects, so that they are not rendered again. */
export function sliceDivider<T>(): (items: readonly T[], length: number) => readonly (readonly T[])[] {
  let before: readonly (readonly T[])[] = [];
  return (items, length) => {
    const slices: (readonly T[])[] = [];
    for (let start = 0; start < items.length; start += length) {
      const known = before[slices.length];
      const end = Math.min(start + length, items.length);
      slices.push(known !== undefined && isSame(known, items, start, end) ? known : items.slice(start, end));
    }
    before = slices;
    return slices;
  };
}

/** The slices as they are rendered in the next frame: at most `atOnce` others than before; later ones are left as they were. */
export function nextSlices<T>(
  before: readonly (readonly T[])[],
  slices: readonly (readonly T[])[],
  atOnce: number,
): readonly (readonly T[])[] {
  let left = atOnce;
  return slices.map((slice, index) => {
    const old = before[index] ?? [];
    if (old === slice || left === 0) return old;
    left -= 1;
    return slice;
  });
}

function isSame<T>(known: readonly T[], items: readonly T[], start: number, end: number): boolean {
  return known.length === end - start && known.every((item, index) => item === items[start + index]);
}
