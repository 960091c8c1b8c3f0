/** What can be told of a text without reading it as a shell would. */
export type LiteralText = {
  /** The text without quotes: every word of a shell is a piece of it, but for the quotes the word has itself. */
  bare: string;
  /** A word may hold what says where a file lies: a slash, a tilde, two dots, or what nobody knows before it runs. */
  mayHoldPath: boolean;
};

/** Null for a text whose words may be put together from elsewhere: variables, escapes, lists, substitutions. */
export function readLiterally(text: string): LiteralText | null {
  if (/[\0$`\\{\uE000-\uE002]/.test(text)) return null;
  const lists = text.match(/[,}]/g);
  if (lists !== null && lists.length > MOST_IN_LIST) return null;
  const bare = /["']/.test(text) ? text.replace(/["']/g, '') : text;
  return { bare, mayHoldPath: /[/~]/.test(text) || /[<>]\(/.test(text) || bare.includes('..') };
}

/** With more of them in one word a shell would not be followed to the end. */
const MOST_IN_LIST = 60;
