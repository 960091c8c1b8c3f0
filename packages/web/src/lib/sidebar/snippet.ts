export type SnippetPiece = { text: string; found: boolean };

/** Splits a snippet of the search into plain text and matches; the server encloses matches in U+0002 and U+0003. */
export function snippetPieces(snippet: string): SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  let found = false;
  for (const piece of snippet.split(/([\u0002\u0003])/)) {
    if (piece === '\u0002') found = true;
    else if (piece === '\u0003') found = false;
    else if (piece !== '') pieces.push({ text: piece, found });
  }
  return pieces;
}
