/** What every contender reads: as many pieces, of four characters each, as an answer of a few pages has. */
export const PIECES = 5_000;

const PROSE =
  'The quick brown fox jumps over the lazy dog, and after that it looks for a place to rest; see "notes" for more.\n\n' +
  '- one item\n- another, with x < 3 and arr[0] in it\n\n';

export const ANSWER = PROSE.repeat(Math.ceil((PIECES * 4) / PROSE.length)).slice(0, PIECES * 4);
export const pieces: readonly string[] = Array.from({ length: PIECES }, (_, at) => ANSWER.slice(at * 4, at * 4 + 4));
