export type SnippetPiece = { text: string; found: boolean };

/** Markdown markup is removed from the line; match markers may be within it. */
function withoutMarkdown(text: string): string {
  return text
    .replace(/!?\[([^\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(^|\n)[ \t]*(?:#{1,6}|>|[-*+]|```\w*)[ \t]+/g, '$1')
    .replace(/\|?(?:\s*:?-+:?\s*\|)+\s*/g, ' ')
    .replace(/\*\*|~~|`+|(?<![\p{L}\p{N}])__(?=\S)|(?<=\S)__(?![\p{L}\p{N}])/gu, '')
    .replace(/(^|[\s(\u0002])\*(?=\S)|(?<=\S)\*(?=$|[\s.,;:!?)\u0003])/g, '$1')
    .replace(/\s*\|\s*/g, ' ')
    .replace(/ {2,}/g, ' ');
}

/** Splits a snippet of the search into plain text and matches; the server encloses matches in U+0002 and U+0003. */
export function snippetPieces(snippet: string): SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  let found = false;
  for (const piece of withoutMarkdown(snippet).split(/([\u0002\u0003])/)) {
    if (piece === '\u0002') found = true;
    else if (piece === '\u0003') found = false;
    else if (piece !== '') pieces.push({ text: piece, found });
  }
  return pieces;
}
