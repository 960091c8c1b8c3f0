import type { Token, Tokens } from 'marked';
import type { ListItem, MarkdownBlock, TableCell } from './blocks.ts';
import { isShown } from './render.ts';

/**
 * The finished rows or items of a table or list that still grows. They are taken out of the text that is parsed again
 * with each chunk: a table of any length costs as much as a short one.
 */
export type Finished = {
  /** Index of its block among the blocks of the text that is left. */
  block: number;
  /** Where its block begins. */
  start: number;
  /** Where the text was taken out. */
  offset: number;
  source: string;
} & (
  | { type: 'table'; rows: readonly (readonly TableCell[])[] }
  /** The items after the first, which stays: with it the text that is left begins as the list does. */
  | { type: 'list'; items: readonly ListItem[]; isLoose: boolean }
);

/** `text` and `left`, its last block, are without what was taken out. */
type Taken = { finished: Finished; text: string; left: MarkdownBlock };

/** With fewer new rows or items, parsing them again costs less than taking them out. */
const MIN_FINISHED = 8;

/**
 * What can be taken out of the last block of `text`, besides what was taken out before; null if there is not enough.
 * `blocks` are rendered from `tokens`.
 */
export function takeFinished(
  text: string,
  tokens: readonly Token[],
  blocks: readonly MarkdownBlock[],
  before: Finished | null,
): Taken | null {
  const index = blocks.length - 1;
  const block = blocks[index];
  const place = tokens.findLastIndex(isShown);
  const token = tokens[place];
  if (token === undefined || (before !== null && before.block !== index)) return null;
  const start = getStart(tokens, place);
  if (!text.startsWith(token.raw, start)) return null;
  if (token.type === 'table' && block?.type === 'table') {
    const known = before?.type === 'table' ? before : null;
    return takeRows(text, { start, end: start + token.raw.length, index }, block, known);
  }
  if (token.type === 'list' && block?.type === 'list') {
    const known = before?.type === 'list' ? before : null;
    return takeItems(text, { start, index }, { token: token as Tokens.List, block }, known);
  }
  return null;
}

/**
 * The block with all of its rows or items; `blocks` and `tokens` are those of the text that is left. Null if what was
 * taken out kept something else from beginning there: a formula ends at a blank line.
 */
export function withFinished(
  blocks: readonly MarkdownBlock[],
  tokens: readonly Token[],
  finished: Finished,
): MarkdownBlock | null {
  const block = blocks[finished.block];
  const token = tokens.filter(isShown)[finished.block];
  if (token === undefined || getStart(tokens, tokens.indexOf(token)) !== finished.start) return null;
  if (block?.type === 'table' && finished.type === 'table') {
    return { ...block, rows: [...finished.rows, ...block.rows] };
  }
  if (block?.type === 'list' && finished.type === 'list') {
    const items = [...block.items.slice(0, 1), ...finished.items, ...block.items.slice(1)];
    const isLoose = finished.isLoose || (token as Tokens.List).loose;
    return { ...block, items: isLoose ? items.map(loosened) : items };
  }
  return null;
}

function getStart(tokens: readonly Token[], index: number): number {
  return tokens.slice(0, index).reduce((length, { raw }) => length + raw.length, 0);
}

/** Each complete line after the second is a row, whatever follows. */
function takeRows(
  text: string,
  { start, end, index }: { start: number; end: number; index: number },
  block: Extract<MarkdownBlock, { type: 'table' }>,
  before: (Finished & { type: 'table' }) | null,
): Taken | null {
  const { rows } = block;
  const offset = text.indexOf('\n', text.indexOf('\n', start) + 1) + 1;
  const source = text.slice(offset, text.lastIndexOf('\n', end - 1) + 1);
  const count = source.split('\n').length - 1;
  if (offset === 0 || count < MIN_FINISHED || count > rows.length) return null;
  const finished: Finished = {
    type: 'table',
    block: index,
    start,
    offset,
    source: `${before?.source ?? ''}${source}`,
    rows: [...(before?.rows ?? []), ...rows.slice(0, count)],
  };
  return {
    finished,
    text: text.slice(0, offset) + text.slice(offset + source.length),
    left: { ...block, rows: rows.slice(count) },
  };
}

/** An item is finished when the first line of the next one is complete, which it is if there is one after that. */
function takeItems(
  text: string,
  { start, index }: { start: number; index: number },
  { token, block }: { token: Tokens.List; block: Extract<MarkdownBlock, { type: 'list' }> },
  before: (Finished & { type: 'list' }) | null,
): Taken | null {
  const { items } = block;
  const count = items.length - 3;
  if (count < MIN_FINISHED) return null;
  const [first] = token.items;
  if (first === undefined) return null;
  const taken = token.items.slice(1, count + 1);
  const offset = start + first.raw.length;
  const source = taken.map(({ raw }) => raw).join('');
  if (!text.startsWith(source, offset)) return null;
  const isLoose = before?.isLoose === true || [...token.items.slice(0, 1), ...taken].some(makesLoose);
  // The last items can still change, and then those before them are no paragraphs.
  if (token.loose && !isLoose) return null;
  const finished: Finished = {
    type: 'list',
    block: index,
    start,
    offset,
    source: `${before?.source ?? ''}${source}`,
    items: [...(before?.items ?? []), ...items.slice(1, count + 1)],
    isLoose,
  };
  const left = { ...block, items: [...items.slice(0, 1), ...items.slice(count + 1)] };
  return { finished, text: text.slice(0, offset) + text.slice(offset + source.length), left };
}

/** As marked decides whether the items of a list are paragraphs; another item follows this one. */
function makesLoose({ raw, tokens }: Tokens.ListItem): boolean {
  return /\n[ \t]*\n[ \t]*$/.test(raw) || tokens.some((token) => token.type === 'space' && /\n.*\n/.test(token.raw));
}

const loose = new WeakMap<ListItem, ListItem>();

/** The item in a list whose items are paragraphs; the same object each time. */
function loosened(item: ListItem): ListItem {
  if (!item.blocks.some(({ type }) => type === 'text')) return item;
  const known = loose.get(item);
  if (known !== undefined) return known;
  const blocks = item.blocks.map((block) => (block.type === 'text' ? { ...block, type: 'paragraph' as const } : block));
  const result = { ...item, blocks };
  loose.set(item, result);
  return result;
}
