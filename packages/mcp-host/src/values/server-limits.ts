/**
 * What a server may send besides its results. The rule: **what a server sends by itself costs no more than what a user can
 * read**: no message is longer, and none comes more often, however many the server sends.
 */
export const SERVER_LIMITS = {
  /** Of one call: so many reports at once, then so many per second; longer texts are cut. */
  progress: { burst: 20, perSecond: 2, characters: 2_000 },
  /** Updates of resources are announced together, after so many milliseconds. */
  updatesMs: 250,
  /** A line of its log, in characters. */
  logLine: 2_000,
  /** A form or URL for the user, in characters of JSON. */
  form: 65_536,
  /** A request for an answer of the model, in characters of JSON without media. */
  sampling: 1_048_576,
  /** Each text that it sends about itself, and its instructions. */
  identity: 1_000,
  instructions: 65_536,
  /** A value that completes an argument. */
  completion: 4_096,
  /** One tool, resource or prompt of its lists, and a whole list, in characters of JSON. */
  listItem: 4_194_304,
  list: 33_554_432,
  /** The name of an item that is left out, and the cursor of the next page. */
  name: 200,
  cursor: 65_536,
} as const;

/**
 * The characters that a value takes as JSON, counted up to `most`, without writing it and at any depth; `but`: a member
 * that is not counted.
 */
export function sizeUpTo(most: number, value: unknown, but?: string): number {
  let size = 0;
  const left: [key: string, value: unknown][] = [['', value]];
  for (let next = left.pop(); next !== undefined && size <= most; next = left.pop()) {
    const [key, each] = next;
    size += key.length + (typeof each === 'string' && key !== but ? each.length + 2 : 4);
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, inner] of Object.entries(each)) left.push([Array.isArray(each) ? '' : name, inner]);
  }
  return size;
}

/** The beginning of a text, as a copy: a slice would keep the whole in memory. */
export function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${structuredClone(text.slice(0, characters))} …`;
}
