/** The words of a scope. */
function scopeWords(scope: string | undefined): string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '');
}

/** Each scope once, in the order given; undefined for none at all. */
export function joinScopes(...scopes: (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap(scopeWords));
  return words.size === 0 ? undefined : [...words].join(' ');
}

/** True if `scope` wants something that `known` has not. */
export function needsMoreScopes(scope: string | undefined, known: string | undefined): boolean {
  const has = new Set(scopeWords(known));
  return scopeWords(scope).some((word) => !has.has(word));
}
