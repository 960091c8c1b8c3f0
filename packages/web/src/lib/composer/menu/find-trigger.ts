export type MenuTrigger = {
  sign: '/' | '@';
  /** Position of the sign in the text. */
  start: number;
  query: string;
};

/**
 * The sign that opens the menu, with what was typed after it up to the caret: at the start or after white space, so that
 * paths and e-mail addresses are left alone. Full-width signs of input methods count too.
 */
export function findTrigger(text: string, caret: number): MenuTrigger | null {
  const found = /(?:^|\s)([/@／＠])(\S*)$/.exec(text.slice(0, caret));
  if (found === null) return null;
  const [, sign = '', query = ''] = found;
  return { sign: sign === '/' || sign === '／' ? '/' : '@', start: caret - query.length - 1, query };
}
