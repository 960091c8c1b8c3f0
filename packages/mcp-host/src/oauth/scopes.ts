/** Splits a scope string. */
function scopeWords(scope: string | undefined): string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '');
}

/** Joins scopes without duplicates, in the given order; undefined if there are none. */
export function joinScopes(...scopes: (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap(scopeWords));
  return words.size === 0 ? undefined : [...words].join(' ');
}

/** True if `scope` contains a scope that `known` does not. */
export function needsMoreScopes(scope: string | undefined, known: string | undefined): boolean {
  const has = new Set(scopeWords(known));
  return scopeWords(scope).some((word) => !has.has(word));
}
