import { tick } from 'svelte';
import { foldText, matchesIn } from './fold-text.ts';
import type { Hit } from './chat-search.svelte.ts';
import type { ListHandle } from '../list/list-handle.svelte.ts';

/** Frames to wait for content that loads when it is expanded. */
const MAX_FRAMES = 60;
/** Where a hit is scrolled to, as a fraction of the size of the list, or of what scrolls in it. */
const AT_HEIGHT = 0.35;

/** Labels of the page that are no part of a message. */
const CHROME = 'button, summary, .sr-only, [aria-hidden=true], [contenteditable], textarea';
/** Elements whose text continues that before them. */
const INLINE = 'a, abbr, b, bdi, code, del, em, i, ins, kbd, mark, q, s, span, strong, sub, sup, u';

/** The matches of folded queries in the text of an element. */
export function rangesIn(root: Element, queries: readonly string[]): Range[] {
  const nodes: { node: Text; start: number }[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.parentElement?.closest(CHROME) != null) continue;
    const holder = findBlock(node);
    // A match never spans two blocks.
    if (block !== null && holder !== block) text += '\u0000';
    block = holder;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  const folded = foldText(text);
  return queries.flatMap((query) => matchesIn(folded, query)).flatMap(({ start, end }) => toRanges(nodes, start, end));
}

function findBlock(node: Text): Element | null {
  let holder = node.parentElement;
  while (holder?.matches(INLINE) === true) holder = holder.parentElement;
  return holder;
}

function toRanges(nodes: readonly { node: Text; start: number }[], start: number, end: number): Range[] {
  const first = nodes.findLast((item) => item.start <= start);
  const last = nodes.findLast((item) => item.start < end);
  if (first === undefined || last === undefined) return [];
  const range = new Range();
  range.setStart(first.node, Math.min(start - first.start, first.node.length));
  range.setEnd(last.node, Math.min(end - last.start, last.node.length));
  return [range];
}

export function rowElement(scroller: Element, key: string): HTMLElement | null {
  return scroller.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
}

/** The element of a hit and its match there, if both are rendered. */
export function rangeOfHit(scroller: Element, { key, part, place }: Hit, query: string): Range | undefined {
  const element = rowElement(scroller, key)?.querySelector(`[data-find="${CSS.escape(part.key)}"]`);
  if (element == null || isIncomplete(element)) return undefined;
  const ranges = rangesIn(element, [query]);
  // What the page leaves out or adds moves later matches.
  return ranges[Math.min(place, ranges.length - 1)];
}

/** Whether parts of a long text are still to be rendered. */
function isIncomplete(element: Element): boolean {
  return element.querySelector('[data-late]') !== null;
}

/** Resolves when all parts of the texts in a row are rendered. */
export async function whenRendered(row: Element, isWanted: () => boolean): Promise<void> {
  while (isIncomplete(row) && row.isConnected && isWanted()) await nextFrame();
}

/** Renders a hit, expands what hides it, and scrolls to it. `isWanted` turns false once another one is selected. */
export async function showHit(list: ListHandle, hit: Hit, query: string, isWanted: () => boolean): Promise<void> {
  const row = rowElement(list.scroller, hit.key) ?? (await list.reveal(hit.key));
  if (row === undefined) return;
  for (const key of hit.part.within) if (isWanted()) await expand(row, key);
  // Matches are counted from the beginning of the text.
  await whenRendered(row, isWanted);
  const range = await whenFound(() => rangeOfHit(list.scroller, hit, query) ?? wholeText(list.scroller, hit), isWanted);
  if (!isWanted()) return;
  await scrollTo(list, () => (range?.startContainer.isConnected === true ? range : rowElement(list.scroller, hit.key)));
}

/** Expands a long text, once: the hit may be in what is left out. Undefined: look again. */
function wholeText(scroller: Element, { key, part }: Hit): undefined {
  const element = rowElement(scroller, key)?.querySelector(`[data-find="${CSS.escape(part.key)}"]`);
  element?.querySelector<HTMLElement>('[data-show-all]')?.click();
  return undefined;
}

/** Expands what `data-expands` names. */
export async function expand(row: HTMLElement, key: string): Promise<void> {
  const expander = row.querySelector<HTMLElement>(`[data-expands="${CSS.escape(key)}"]`);
  if (expander === null) return;
  const details = expander.closest('details');
  if (expander.matches('summary') && details !== null) details.open = true;
  else if (expander.getAttribute('aria-expanded') === 'false') expander.click();
  await tick();
}

async function whenFound<T>(look: () => T | undefined, isWanted: () => boolean): Promise<T | undefined> {
  for (let frame = 0; frame < MAX_FRAMES && isWanted(); frame += 1) {
    const found = look();
    if (found !== undefined) return found;
    await nextFrame();
  }
  return undefined;
}

/** Several times: rows that are rendered on the way turn out higher or lower than estimated. */
export async function scrollTo({ scroller }: ListHandle, target: () => Range | Element | null): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    const found = target();
    if (found instanceof Range) scrollWithin(found, scroller);
    const box = found?.getBoundingClientRect();
    if (box === undefined) return;
    const view = scroller.getBoundingClientRect();
    const distance = box.top - view.top - view.height * AT_HEIGHT;
    const isSeen = box.top >= view.top + 48 && box.bottom <= view.bottom - 24;
    if (!isSeen) scroller.scrollTop += distance;
    await nextFrame();
  }
}

/** Scrolls tables and code around a match, inside of the list. */
function scrollWithin(range: Range, list: Element): void {
  for (let element = range.startContainer.parentElement; element !== null; element = element.parentElement) {
    if (element === list) return;
    const { overflowX, overflowY } = getComputedStyle(element);
    const box = range.getBoundingClientRect();
    const view = element.getBoundingClientRect();
    const isClipped = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
    if (isClipped(overflowY) && (box.top < view.top + 48 || box.bottom > view.bottom)) {
      element.scrollTop += box.top - view.top - view.height * AT_HEIGHT;
    }
    if (isClipped(overflowX) && (box.left < view.left || box.right > view.right)) {
      element.scrollLeft += box.left - view.left - view.width * AT_HEIGHT;
    }
  }
}

export function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
