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
} as const;

/** The beginning of a text, as a copy: a slice would keep the whole in memory. */
export function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${structuredClone(text.slice(0, characters))} …`;
}
