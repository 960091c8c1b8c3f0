export type MenuTrigger = {
  sign: '/' | '@';
  /** Position of the sign in the text. */
  start: number;
  query: string;
};

/** Names of resources and prompts have several words; whatever is longer is a sentence. */
const MAX_WORDS = 5;

/**
 * The last sign that opens the menu, with what was typed after it up to the caret, in one line: at the start or after white
 * space, so that paths and e-mail addresses are left alone. Full-width signs of input methods count too.
 */
export function findTrigger(text: string, caret: number): MenuTrigger | null {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  const found = [...line.matchAll(/(?<=^|\s)[/@／＠](?=\S|$)/g)].at(-1);
  if (found === undefined) return null;
  const [sign] = found;
  const query = line.slice(found.index + 1);
  if (query.split(/\s+/).length > MAX_WORDS) return null;
  return { sign: sign === '/' || sign === '／' ? '/' : '@', start: caret - query.length - 1, query };
}
