/** What the upstream of this bench says and its readers look for. */

export const TOKENS_A_SECOND = 50;
/** How many stamped tokens an answer of the model `first` has. */
export const FIRST_TOKENS = 5;

/** Token number `index` of an answer, no longer than tokens are. */
export function wordAt(index: number): string {
  return ` w${String(index % 1000)}`;
}

/** A token that tells when it was sent. Nothing in it may begin a call written as text: that is held back. */
export function stamped(at: bigint): string {
  return ` #${at.toString(36)};`;
}

/** The times in a text, oldest first. */
export function stampsIn(text: string): bigint[] {
  return Array.from(text.matchAll(/#([0-9a-z]+);/g), ([, digits = '']) => fromBase36(digits));
}

function fromBase36(digits: string): bigint {
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(parseInt(digit, 36));
  return value;
}

/** A whole answer of the model `steady` with the stamps taken out, to compare what arrived with. */
export function steadyAnswer(tokens: number): string {
  let text = '';
  for (let index = 0; index < tokens; index++) text += index % 10 === 9 ? ' #;' : wordAt(index);
  return text;
}

export function withoutStamps(text: string): string {
  return text.replaceAll(/#[0-9a-z]+;/g, '#;');
}
