/** Longest repetition that llama.cpp accepts in a grammar, with some room. */
export const MAX_REPETITION = 1000;

/**
 * True for a regular expression that servers with grammars (llama.cpp) understand: anchored at both ends, without
 * groups of the form `(?`, without classes such as `\d`, and without long repetitions.
 */
export function isPortablePattern(pattern: string): boolean {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return false;
  const inner = pattern.slice(1, -1);
  if (inner === '') return false;
  // Escapes are understood for the characters of the syntax, and only outside of brackets.
  const plain = inner.replace(/\\[\\[\]{}()|^$*+?.]/g, '');
  if (
    /[\\$]|\(\?|[*+?}][?+]|\(\)|\(\||\|\)|\|\||^\||\|$/.test(plain) ||
    /\[[^\]]*\\/.test(inner) ||
    /(?<!\[)\^/.test(plain)
  )
    return false;
  if ([...plain.matchAll(/\d+(?=[,}])/g)].some(([count]) => Number(count) > MAX_REPETITION)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
