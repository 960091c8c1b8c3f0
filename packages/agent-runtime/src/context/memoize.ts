/**
 * Caches a value derived from an object for as long as the object lives: a message that is sent again is the same
 * object, so its converted form is computed once. `key` identifies the other inputs.
 */
export function memoizer<Value extends object, Made>(): (value: Value, key: unknown, make: () => Made) => Made {
  const kept = new WeakMap<Value, { key: unknown; made: Made }>();
  return (value, key, make) => {
    const before = kept.get(value);
    if (before && before.key === key) return before.made;
    const made = make();
    kept.set(value, { key, made });
    return made;
  };
}

/** Maps items with `change`; returns the same list if nothing changes. */
export function mapUnlessSame<Item>(
  items: readonly Item[],
  change: (item: Item, index: number) => Item,
): readonly Item[] {
  let changed: Item[] | null = null;
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (item === undefined) continue;
    const made = change(item, at);
    if (made !== item) changed ??= items.slice(0, at);
    changed?.push(made);
  }
  return changed ?? items;
}
