import { SLICE_COST } from './cost.ts';

export type Slices<T> = readonly (readonly T[])[];

type Options<T> = {
  getCost: (item: T) => number;
  /** Whether a slice may end between these two, unless it has become twice as expensive. */
  mayEnd?: (before: T, after: T) => boolean;
  /** Each slice lays out those before it again. Of many, later ones are larger then. */
  isOneBox?: boolean;
};

/**
 * Divides a list that may grow into slices of about {@link SLICE_COST}. Where a slice ends follows from the items before:
 * unchanged slices stay the same objects, so that they are not rendered again.
 */
export function sliceDivider<T>(options: Options<T>): (items: readonly T[]) => Slices<T> {
  const { getCost, mayEnd = () => true, isOneBox = false } = options;
  let before: Slices<T> = [];

  function findEnd(items: readonly T[], start: number, index: number): number {
    const limit = SLICE_COST * (isOneBox ? 1 + Math.floor(index / 8) : 1);
    let cost = 0;
    for (let end = start; end < items.length; end += 1) {
      const [last, item] = [items[end - 1] as T, items[end] as T];
      if (cost >= 2 * limit || (cost >= limit && mayEnd(last, item))) return end;
      cost += getCost(item);
    }
    return items.length;
  }

  return (items) => {
    const slices: (readonly T[])[] = [];
    for (let start = 0; start < items.length;) {
      const known = before[slices.length];
      const next = before[slices.length + 1]?.[0];
      // What follows decides as well where a slice ends.
      const isClosed = known !== undefined && next !== undefined && items[start + known.length] === next;
      const isSame = known?.every((item, index) => item === items[start + index]) === true;
      const end = isSame && isClosed ? start + known.length : findEnd(items, start, slices.length);
      slices.push(isSame && end === start + known.length ? known : items.slice(start, end));
      start = end;
    }
    before = slices;
    return slices;
  };
}

/** The slices as they are rendered next: of those that have changed, the `wanted` ones; others are left as they were. */
export function nextSlices<T>(before: Slices<T>, slices: Slices<T>, wanted: readonly number[]): Slices<T> {
  return slices.map((slice, index) => (wanted.includes(index) ? slice : (before[index] ?? [])));
}

/** Indices of the slices that are not rendered as they are. */
export function listLate<T>(rendered: Slices<T>, slices: Slices<T>): number[] {
  return slices.flatMap((slice, index) => (rendered[index] === slice ? [] : [index]));
}
