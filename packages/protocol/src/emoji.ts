/** The first emoji of a text, with its modifiers; undefined without one. */
export function firstEmoji(text: string): string | undefined {
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (isEmoji(segment)) return segment;
  }
  return undefined;
}

/** True for a text that is exactly one emoji. */
export function isEmoji(text: string): boolean {
  return /^\p{RGI_Emoji}$/v.test(text);
}
