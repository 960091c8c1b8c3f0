/** Where in Markdown a call is written as text: what is quoted or shown as code is an example, not a request. */
export type TextPosition = 'quote' | 'code';

const OPENING_QUOTES = new Set([...'"\'“‘„‚«‹「『`']);
const QUOTING_TAGS = /<(\/?)(pre|code|blockquote|q)\b[^<>]*>/gi;

/**
 * Whether a passage is in a quote, in a code block (also one that is the whole passage), in inline code or in
 * quotation marks. Undecided cases count: the only consequence is a question.
 */
export function findPosition(before: string, passage: string): TextPosition | undefined {
  const lines = before.split('\n');
  const line = lines.at(-1) ?? '';
  const paragraph = lines.slice(lines.slice(0, -1).findLastIndex((each) => each.trim() === '') + 1);
  // A line after a quoted one continues the quote, with or without a mark.
  if (paragraph.some((each) => QUOTED_LINE.test(each))) return 'quote';
  const tag = openTag(before);
  if (tag === 'blockquote' || tag === 'q') return 'quote';
  if (tag !== null || isFenced(lines) || FENCE.test(passage) || /^(?: {4}|\t)/.test(line)) return 'code';
  if (backticks(paragraph.join('\n')) % 2 === 1 || passage.startsWith('`')) return 'code';
  return OPENING_QUOTES.has(line.trimEnd().slice(-1)) ? 'quote' : undefined;
}

const LIST_MARKS = String.raw`^\s*(?:(?:[-*+]|\d+[.)])\s+)*`;
const QUOTED_LINE = new RegExp(`${LIST_MARKS}>`);
const FENCE = new RegExp(`${LIST_MARKS}(\`{3,}|~{3,})`);

/** True if a code fence was opened in these lines and not closed. */
function isFenced(lines: readonly string[]): boolean {
  let open = '';
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    if (mark === undefined) continue;
    if (open === '') open = mark;
    else if (mark[0] === open[0] && mark.length >= open.length) open = '';
  }
  return open !== '';
}

/** Number of runs of backticks that begin or end inline code. */
function backticks(paragraph: string): number {
  return paragraph.match(/(?<!`)`{1,2}(?!`)/g)?.length ?? 0;
}

/** The innermost HTML tag that quotes and is still open. */
function openTag(before: string): string | null {
  const open: string[] = [];
  for (const [, end, name = ''] of before.matchAll(QUOTING_TAGS)) {
    const tag = name.toLowerCase();
    if (end === '') open.push(tag);
    else if (open.includes(tag)) open.splice(open.lastIndexOf(tag));
  }
  return open.at(-1) ?? null;
}
