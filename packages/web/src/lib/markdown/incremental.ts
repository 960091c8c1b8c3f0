import type { Links, Token, TokensList } from 'marked';
import type { CodeBlock, MarkdownBlock } from './blocks.ts';
import { keepBlocks } from './blocks.ts';
import { lex } from './lexer.ts';
import type { Finished } from './open-block.ts';
import { takeFinished, withFinished } from './open-block.ts';
import { isClosing, isShown, renderBlocks } from './render.ts';

/**
 * Markdown parsed while it streams. Whatever a blank line followed by a complete line has closed is parsed once; only
 * the rest, nearly always the last block, is parsed again when text arrives, without the finished rows or items of a
 * table or list. At every moment {@link blocks} is the result of parsing the text so far.
 *
 * @example
 * const markdown = new IncrementalMarkdown();
 * markdown.update('# Hel'); markdown.update('# Hello', { whole: true });
 * markdown.blocks // [{ type: 'heading', depth: 1, html: 'Hello' }]
 */
export class IncrementalMarkdown {
  #closed: Segment[] = [];
  #closedBlocks: readonly MarkdownBlock[] = [];
  /** The open part without {@link #finished}. */
  #tail = '';
  /** What {@link #tail} consists of. */
  #tailBlocks: readonly MarkdownBlock[] = [];
  /** All of the open part. */
  #openBlocks: readonly MarkdownBlock[] = [];
  #finished: Finished | null = null;
  #fence: OpenFence | null = null;
  /** A high surrogate or `\r` at the end, held back until the next character arrives. */
  #held = '';
  /** The text so far. */
  #text = '';
  /** Link definitions in the closed part. */
  #links: Links = {};
  /** The definitions the blocks were rendered with. */
  #shownLinks = '';
  #blocks: readonly MarkdownBlock[] = [];

  get blocks(): readonly MarkdownBlock[] {
    return this.#blocks;
  }

  /** Takes the current text. A text that does not continue the last one is parsed from the start. */
  update(text: string, options: { whole?: boolean } = {}): readonly MarkdownBlock[] {
    if (!this.#continues(text, options.whole === true)) this.#restart();
    const added = this.#held + text.slice(this.#text.length);
    this.#text = text;
    const held = options.whole === true ? 0 : heldBack(added);
    this.#held = added.slice(added.length - held);
    const chunk = added.slice(0, added.length - held).replace(/\r\n?/g, '\n');
    if (chunk === '') return this.#blocks;
    this.#tail += chunk;
    if (!this.#growFence()) this.#readTail();
    return this.#blocks;
  }

  /**
   * Comparing all of a long text for each chunk costs more than parsing the chunk, so only this many characters at its
   * end are compared.
   */
  #continues(text: string, whole: boolean): boolean {
    const previous = this.#text;
    if (whole) return text.startsWith(previous);
    const from = Math.max(0, previous.length - 64);
    return text.length >= previous.length && text.startsWith(previous.slice(from), from);
  }

  #restart(): void {
    this.#closed = [];
    this.#closedBlocks = [];
    this.#tail = '';
    this.#tailBlocks = [];
    this.#openBlocks = [];
    this.#finished = null;
    this.#fence = null;
    this.#held = '';
    this.#text = '';
    this.#links = {};
    this.#shownLinks = '';
    this.#blocks = [];
  }

  #readTail(): void {
    const tokens = lex(this.#tail, this.#links);
    const hasNewLinks = this.#renewClosed(tokens.links);
    const blocks = keepBlocks(renderBlocks(tokens), this.#tailBlocks);
    const finished = this.#finished;
    if (finished !== null) {
      const whole = withFinished(blocks, tokens, finished);
      if (whole === null || (hasNewLinks && finished.source.includes('['))) return this.#reparse(finished);
      this.#openBlocks = keepBlocks(blocks.with(finished.block, whole), this.#openBlocks);
    } else this.#openBlocks = blocks;
    this.#tailBlocks = blocks;

    const boundary = lastBoundary(this.#tail, tokens);
    if (boundary !== null) this.#closeBefore(boundary, tokens);
    else if (Object.keys(tokens.links).length === Object.keys(this.#links).length) this.#finish(tokens);
    this.#fence = openFence(this.#tail, boundary === null ? tokens : tokens.slice(boundary.token));
    this.#show();
  }

  /** With what was taken out. */
  #reparse({ offset, source }: Finished): void {
    this.#tail = this.#tail.slice(0, offset) + source + this.#tail.slice(offset);
    this.#tailBlocks = this.#openBlocks;
    this.#finished = null;
    this.#readTail();
  }

  /** Takes finished rows or items out of the open part. */
  #finish(tokens: readonly Token[]): void {
    const taken = takeFinished(this.#tail, tokens, this.#tailBlocks, this.#finished);
    if (taken === null) return;
    this.#tail = taken.text;
    this.#finished = taken.finished;
    this.#tailBlocks = this.#tailBlocks.with(-1, taken.left);
  }

  #closeBefore(boundary: { token: number; offset: number }, tokens: TokensList): void {
    const count = tokens.slice(0, boundary.token).filter(isShown).length;
    let source = this.#tail.slice(0, boundary.offset);
    const finished = this.#finished;
    if (finished !== null) {
      const isClosed = finished.block < count;
      if (isClosed) source = source.slice(0, finished.offset) + finished.source + source.slice(finished.offset);
      this.#finished = isClosed
        ? null
        : {
            ...finished,
            block: finished.block - count,
            start: finished.start - boundary.offset,
            offset: finished.offset - boundary.offset,
          };
    }
    this.#close(source, this.#openBlocks.slice(0, count), tokens.links);
    this.#tail = this.#tail.slice(boundary.offset);
    this.#tailBlocks = this.#tailBlocks.slice(count);
    this.#openBlocks = this.#openBlocks.slice(count);
  }

  #close(source: string, blocks: readonly MarkdownBlock[], links: Links): void {
    // The open part may contain further definitions, which can still change.
    if (Object.keys(links).length > Object.keys(this.#links).length)
      this.#links = { ...lex(source, this.#links).links };
    this.#closed.push({ source, count: blocks.length, refers: source.includes('[') });
    this.#closedBlocks = [...this.#closedBlocks, ...blocks];
  }

  /** A definition also applies to text before it. Returns whether there are others than before. */
  #renewClosed(links: Links): boolean {
    const shown = Object.keys(links).length === 0 ? '' : JSON.stringify(links);
    if (shown === this.#shownLinks) return false;
    this.#shownLinks = shown;
    const renewed: MarkdownBlock[] = [];
    for (const segment of this.#closed) {
      const before = this.#closedBlocks.slice(renewed.length, renewed.length + segment.count);
      renewed.push(...(segment.refers ? keepBlocks(renderBlocks(lex(segment.source, links)), before) : before));
    }
    this.#closedBlocks = renewed;
    return true;
  }

  /** Appends to an open code block without parsing, however long it is. False if something else may have begun. */
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
    this.#openBlocks = this.#openBlocks.with(-1, grown);
    this.#show();
    return true;
  }

  #show(): void {
    this.#blocks = [...this.#closedBlocks, ...this.#openBlocks];
  }
}

/** Parses a whole text at once. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  return renderBlocks(lex(text, {}));
}

type Segment = {
  source: string;
  /** Number of its blocks. */
  count: number;
  /** Whether it may refer to a definition. */
  refers: boolean;
};

/** Where the open code block begins, and up to where its lines were scanned. */
type OpenFence = { mark: string; content: number; line: number };

function heldBack(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last === 0x0d || (last >= 0xd800 && last <= 0xdbff) ? 1 : 0;
}

/**
 * The last position after which nothing can change what is before it: a blank line followed by a complete line. That
 * line decides whether a list or indented code before the blank line continues.
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
  // A closed block may be reopened by what follows: `` ``` `` can become `` ```` ``. It is parsed again then.
  if (line > content ? isClosing(source.slice(line), mark) : isClosing(source.slice(content), mark)) return null;
  if (closesBefore(source.slice(content, line), mark)) return null;
  return { mark, content, line: Math.max(line, content) };
}

function closesBefore(text: string, mark: string): boolean {
  return text.includes(mark) && text.split('\n').some((line) => isClosing(line, mark));
}

/** The content marked returns for an unclosed fence. */
function fenceText(rest: string): string {
  if (rest === '') return '';
  const text = rest.endsWith('\n') ? rest.slice(0, -1) : rest;
  return text === '' || text.endsWith('\n') ? `${text}\n` : text;
}
