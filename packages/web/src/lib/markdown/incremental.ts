import type { Links, Token, TokensList } from 'marked';
import type { CodeBlock, MarkdownBlock } from './blocks.ts';
import { keepBlocks } from './blocks.ts';
import { lex } from './lexer.ts';
import { isClosing, renderBlocks } from './render.ts';

/**
 * Markdown that is read while it is written. Whatever a blank line and a whole line behind it have closed is read once
 * and never again; only the rest, nearly always the last block, is read anew when text comes. At every moment
 * {@link blocks} are what reading the whole text so far would give.
 *
 * @example
 * const markdown = new IncrementalMarkdown();
 * markdown.update('# Hel'); markdown.update('# Hello', { whole: true });
 * markdown.blocks // [{ type: 'heading', depth: 1, html: 'Hello' }]
 */
export class IncrementalMarkdown {
  #closed: Segment[] = [];
  #closedBlocks: readonly MarkdownBlock[] = [];
  #tail = '';
  #tailBlocks: readonly MarkdownBlock[] = [];
  #fence: OpenFence | null = null;
  /** Half a character or half a line end, until its other half is there. */
  #held = '';
  /** All text taken so far. */
  #taken = '';
  /** Definitions in what is closed. */
  #links: Links = {};
  /** The definitions the blocks were shown with. */
  #shownLinks = '';
  #blocks: readonly MarkdownBlock[] = [];

  get blocks(): readonly MarkdownBlock[] {
    return this.#blocks;
  }

  /** Takes the text as it is now. What does not go on where it ended before is read from the start. */
  update(text: string, options: { whole?: boolean } = {}): readonly MarkdownBlock[] {
    if (!this.#goesOn(text, options.whole === true)) this.#restart();
    const added = this.#held + text.slice(this.#taken.length);
    this.#taken = text;
    const held = options.whole === true ? 0 : heldBack(added);
    this.#held = added.slice(added.length - held);
    const chunk = added.slice(0, added.length - held).replace(/\r\n?/g, '\n');
    if (chunk === '') return this.#blocks;
    this.#tail += chunk;
    if (!this.#growFence()) this.#readTail();
    return this.#blocks;
  }

  /** Comparing all of a long text for each word costs more than reading the word: the end of it must do until then. */
  #goesOn(text: string, whole: boolean): boolean {
    const taken = this.#taken;
    if (whole) return text.startsWith(taken);
    const from = Math.max(0, taken.length - 64);
    return text.length >= taken.length && text.startsWith(taken.slice(from), from);
  }

  #restart(): void {
    this.#closed = [];
    this.#closedBlocks = [];
    this.#tail = '';
    this.#tailBlocks = [];
    this.#fence = null;
    this.#held = '';
    this.#taken = '';
    this.#links = {};
    this.#shownLinks = '';
    this.#blocks = [];
  }

  #readTail(): void {
    const tokens = lex(this.#tail, this.#links);
    this.#renewClosed(tokens.links);

    const boundary = lastBoundary(this.#tail, tokens);
    const open = boundary === null ? tokens : tokens.slice(boundary.token);
    const openBlocks = keepBlocks(renderBlocks(tokens), this.#tailBlocks);
    this.#tailBlocks = openBlocks;
    if (boundary !== null) {
      const count = renderBlocks(tokens.slice(0, boundary.token)).length;
      this.#close(this.#tail.slice(0, boundary.offset), openBlocks.slice(0, count), tokens.links);
      this.#tail = this.#tail.slice(boundary.offset);
      this.#tailBlocks = openBlocks.slice(count);
    }
    this.#fence = openFence(this.#tail, open);
    this.#show();
  }

  #close(source: string, blocks: readonly MarkdownBlock[], links: Links): void {
    // The tail may hold further definitions, which can still change.
    if (Object.keys(links).length > Object.keys(this.#links).length)
      this.#links = { ...lex(source, this.#links).links };
    this.#closed.push({ source, count: blocks.length, refers: source.includes('[') });
    this.#closedBlocks = [...this.#closedBlocks, ...blocks];
  }

  /** A definition counts for what was written before it, too. */
  #renewClosed(links: Links): void {
    const shown = Object.keys(links).length === 0 ? '' : JSON.stringify(links);
    if (shown === this.#shownLinks) return;
    this.#shownLinks = shown;
    const renewed: MarkdownBlock[] = [];
    for (const segment of this.#closed) {
      const before = this.#closedBlocks.slice(renewed.length, renewed.length + segment.count);
      renewed.push(...(segment.refers ? keepBlocks(renderBlocks(lex(segment.source, links)), before) : before));
    }
    this.#closedBlocks = renewed;
  }

  /** Code that goes on needs no reading, however long it is. False where something else may have begun. */
  #growFence(): boolean {
    const fence = this.#fence;
    const block = this.#tailBlocks.at(-1);
    if (fence === null || block?.type !== 'code') return false;
    let end = this.#tail.indexOf('\n', fence.line);
    for (; end >= 0; end = this.#tail.indexOf('\n', fence.line)) {
      if (isClosing(this.#tail.slice(fence.line, end), fence.mark)) return false;
      fence.line = end + 1;
    }
    if (isClosing(this.#tail.slice(fence.line), fence.mark)) return false;
    const grown: CodeBlock = { ...block, text: fenceText(this.#tail.slice(fence.content)) };
    this.#tailBlocks = this.#tailBlocks.with(-1, grown);
    this.#show();
    return true;
  }

  #show(): void {
    this.#blocks = [...this.#closedBlocks, ...this.#tailBlocks];
  }
}

/** What the whole of a text gives, read at once. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  return renderBlocks(lex(text, {}));
}

type Segment = {
  source: string;
  /** How many blocks it gave. */
  count: number;
  /** It may name a definition. */
  refers: boolean;
};

/** Where code that is not closed yet begins, and up to where its lines were looked at. */
type OpenFence = { mark: string; content: number; line: number };

function heldBack(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last === 0x0d || (last >= 0xd800 && last <= 0xdbff) ? 1 : 0;
}

/**
 * The last place behind which nothing can change what is before it: a blank line with a whole line behind it. By that
 * line it is decided whether a list or indented code before the blank line goes on.
 */
function lastBoundary(source: string, tokens: TokensList): { token: number; offset: number } | null {
  const lastLine = source.lastIndexOf('\n');
  let offset = 0;
  let found: { token: number; offset: number } | null = null;
  for (const [index, token] of tokens.entries()) {
    if (!source.startsWith(token.raw, offset)) return null;
    if (index > 0 && tokens[index - 1]?.type === 'space' && source.indexOf('\n', offset) >= 0 && offset <= lastLine) {
      found = { token: index, offset };
    }
    offset += token.raw.length;
  }
  return offset === source.length ? found : null;
}

function openFence(source: string, open: readonly Token[]): OpenFence | null {
  const token = open.at(-1);
  if (token?.type !== 'code') return null;
  const [, mark] = /^(`{3,}|~{3,})/.exec(token.raw) ?? [];
  const start = source.length - token.raw.length;
  const content = source.indexOf('\n', start) + 1;
  if (mark === undefined || content === 0 || !source.endsWith(token.raw)) return null;
  const line = source.lastIndexOf('\n') + 1;
  // A closed one may be reopened by what comes: `` ``` `` can become `` ```` ``. It is read again then.
  if (line > content ? isClosing(source.slice(line), mark) : isClosing(source.slice(content), mark)) return null;
  if (closesBefore(source.slice(content, line), mark)) return null;
  return { mark, content, line: Math.max(line, content) };
}

function closesBefore(text: string, mark: string): boolean {
  return text.includes(mark) && text.split('\n').some((line) => isClosing(line, mark));
}

/** What marked makes of the content of a fence that nothing closed. */
function fenceText(rest: string): string {
  if (rest === '') return '';
  const text = rest.endsWith('\n') ? rest.slice(0, -1) : rest;
  return text === '' || text.endsWith('\n') ? `${text}\n` : text;
}
