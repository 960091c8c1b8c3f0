const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A thematic break, or the line below the head of a table. */
const RULE = /^[ \t]*(?:(?:[-*_][ \t]*){3,}|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*)$/;
const LINE_STARTS = /^[ \t]*(?:(?:#{1,6}(?=[ \t])|>|[-*+](?=[ \t]))[ \t]*)+(?:\[[ xX]\][ \t]+|\[![A-Z]+\][ \t]*)?/;
const LINK = /!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}(?:[ \t]+"[^"]{0,300}")?\)/g;
const FOOTNOTE = /\[\^[\w-]{1,60}\]:?/g;
/** Emphasis directly beside Latin letters or digits belongs to a name or a formula; other scripts have no spaces. */
const EMPHASIS = /(?<![\w*\\])(\*{1,3}|_{1,3}|~~)(?=[^\s*_~])(.{1,500}?)(?<=[^\s\\])\1(?![\w*])/g;
const TAG = /<\/?(?:br|b|i|em|strong|u|s|del|ins|sub|sup|kbd|mark|small|p|div|span|details|summary)\b[^<>]{0,200}>/gi;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

/** Markdown without its markup, for a line of a list: close to what the page shows, never longer than the source. */
export function plainText(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null;
    else lines.push(fence === null ? plainLine(line) : line);
  }
  return lines.join('\n');
}

function plainLine(line: string): string {
  if (RULE.test(line)) return '';
  const isTableRow = /^[ \t]*\|/.test(line);
  const linked = line.replace(LINE_STARTS, '').replace(LINK, '$1').replace(FOOTNOTE, '');
  const cells = isTableRow ? linked.replaceAll('|', ' ') : linked;
  // Every second piece is code, which has no markup.
  const pieces = cells.split(/`+/);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : plainPiece(piece))).join('');
}

function plainPiece(text: string): string {
  // Twice: emphasis may be within emphasis.
  return text.replace(EMPHASIS, '$2').replace(EMPHASIS, '$2').replace(TAG, ' ').replace(ESCAPE, '$1');
}
