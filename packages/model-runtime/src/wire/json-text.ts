import type { JsonObject } from '@toolyard/protocol';

/** The JSON of each value; null has no text. */
export function toJsonTexts(values: readonly (JsonObject | null)[]): string[] {
  return values.flatMap((value) => (value === null ? [] : [JSON.stringify(value)]));
}

/** Joins JSON strings with an escaped separator, without serializing any of them again. */
export function joinJsonStrings(strings: readonly string[], gap: string): string {
  return `"${strings.map((json) => json.slice(1, -1)).join(gap)}"`;
}

/** The cached value of a key, or a new one. Sound because messages are immutable. */
export function remember<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = make();
  cache.set(key, value);
  return value;
}

/** {@link remember} for a value that also depends on `variant`, which rarely changes: only the latest is kept. */
export function rememberVariant<Key extends object, Value>(
  cache: WeakMap<Key, { variant: string; value: Value }>,
  key: Key,
  variant: string,
  make: () => Value,
): Value {
  const known = cache.get(key);
  if (known?.variant === variant) return known.value;
  const value = make();
  cache.set(key, { variant, value });
  return value;
}
