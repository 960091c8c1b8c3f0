/** What the mock model answers, and what the readers of the benches look for in it. */

/** Characters of a token of the answer after the calls. */
export const TOKEN = 8;
export const ANSWER_TOKENS = 200;
/** The answer after the calls, some of whose tokens need escaping in JSON. */
export const ANSWER = Array.from({ length: ANSWER_TOKENS }, (_, index) =>
  (index % 40 === 39 ? '.\n' : index % 25 === 24 ? ' "word"' : ` word${index}`).padEnd(TOKEN, '.'),
).join('');
export const PROMPT = 'Echo what you are asked to echo, then summarize it.';

/** The model that makes this many calls before it answers; the name contains the number, so the mock needs no state. */
export function modelName(calls: number): string {
  return `calls-${calls}`;
}

/** The argument of call `index`; unique, because repeated calls would be rejected. */
export function getNote(index: number): string {
  return `note number ${index}`;
}

/** The long answer, in pieces of four characters, a few pages long. */
export const PIECES = 5_000;
export const PIECE = 4;
const PROSE =
  'The quick brown fox jumps over the lazy dog, and after that it looks for a place to rest; see "notes" for more.\n\n' +
  '- one item\n- another, with x < 3 and arr[0] in it\n\n';
export const LONG_ANSWER = PROSE.repeat(Math.ceil((PIECES * PIECE) / PROSE.length)).slice(0, PIECES * PIECE);

export const TOKENS_A_SECOND = 50;
/** Number of tokens with a send time in an answer of the model `first`. */
export const FIRST_TOKENS = 5;

/** Token `index` of a steady answer, as short as a real token. */
export function wordAt(index: number): string {
  return ` w${String(index % 1000)}`;
}

/** A token with its send time. Contains no start of a text tool call, which would be held back. */
export function stamped(at: bigint): string {
  return ` #${at.toString(36)};`;
}

/** The send times in a text, oldest first. */
export function stampsIn(text: string): bigint[] {
  return Array.from(text.matchAll(/#([0-9a-z]+);/g), ([, digits = '']) =>
    [...digits].reduce((value, digit) => value * 36n + BigInt(parseInt(digit, 36)), 0n),
  );
}

/** The whole answer of the model `steady`, without send times. */
export function steadyAnswer(tokens: number): string {
  let text = '';
  for (let index = 0; index < tokens; index++) text += index % 10 === 9 ? ' #;' : wordAt(index);
  return text;
}

export function withoutStamps(text: string): string {
  return text.replaceAll(/#[0-9a-z]+;/g, '#;');
}
