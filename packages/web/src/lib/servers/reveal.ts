import { showHidden } from '@toolyard/protocol';

export type TextPiece = { text: string; hidden: boolean };

/** A text cut into what is seen anyway and what hides in it, written out. */
export function reveal(text: string): TextPiece[] {
  const pieces = showHidden(text).split(/(⟨U\+[0-9A-F]{4,6}⟩)/);
  return pieces.flatMap((piece, index) => (piece === '' ? [] : [{ text: piece, hidden: index % 2 === 1 }]));
}

/** True where something in it is not seen and yet read by a model. */
export function hasHiddenText(text: string): boolean {
  return showHidden(text) !== text;
}
