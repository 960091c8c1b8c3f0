/**
 * What was made of a value, kept for as long as the value itself: a message that is sent again is the very object it was
 * before, so that whoever writes it for a provider writes it once. `key` names what else went into it.
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

/** Each item as `change` gives it; the very same list where nothing is changed. */
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
