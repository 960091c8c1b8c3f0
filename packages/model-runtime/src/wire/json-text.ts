/** One JSON string of several, an escaped gap between each, without writing any of them again. */
export function joinJsonStrings(strings: readonly string[], gap: string): string {
  return `"${strings.map((json) => json.slice(1, -1)).join(gap)}"`;
}

/** What was made of a key before, or made now: a message never changes once it is in a conversation. */
export function remember<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
