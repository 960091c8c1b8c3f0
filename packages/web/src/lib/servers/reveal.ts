import { showHidden } from '@toolyard/protocol';

export type TextPiece = { text: string; hidden: boolean };

/** A text split into visible pieces and escapes of hidden characters. */
export function reveal(text: string): TextPiece[] {
  const pieces = showHidden(text).split(/(⟨U\+[0-9A-F]{4,6}⟩)/);
  return pieces.flatMap((piece, index) => (piece === '' ? [] : [{ text: piece, hidden: index % 2 === 1 }]));
}

/** True if the text contains characters that users cannot see but models read. */
export function hasHiddenText(text: string): boolean {
  return showHidden(text) !== text;
}
