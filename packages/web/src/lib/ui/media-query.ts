const known = new Map<string, MediaQueryList>();

/** A media query of this window. One for each text: a browser keeps all of them as long as the document. */
export function mediaQuery(text: string): MediaQueryList {
  const query = known.get(text) ?? matchMedia(text);
  known.set(text, query);
  return query;
}
