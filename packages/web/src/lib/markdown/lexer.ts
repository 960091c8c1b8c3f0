import { Hooks, Lexer, Tokenizer } from 'marked';
import type { Links, Token, Tokens, TokensList } from 'marked';
import { boundaryBefore, headingRule, inlineRulesFor } from './cjk.ts';
import { inlinePieces, MAX_INLINE } from './inline-pieces.ts';
import { maskFormulas } from './math-rules.ts';
import { chatSyntax, interruption } from './syntax.ts';

/**
 * Maximum nesting of blocks and spans; deeper ones are text. Parsing and rendering are recursive: a few hundred bytes
 * could otherwise overflow the stack.
 */
export const MAX_NESTING = 24;

/** The content of blocks is parsed again at each level: after as many characters what is nested is text as well. */
const maxContent = (length: number): number => length + Math.min(1_000_000 + 5 * length, 4_000_000);

/**
 * GitHub Flavored Markdown as parsed by marked, with these differences. HTML is text, except `<details>` and a handful
 * of tags without attributes: output of a model never becomes a tag of the page. A link definition is one line, so that
 * no later line can change an earlier block. What is nested too deeply is text ({@link MAX_NESTING}). Formulas,
 * footnotes, sources and alerts are tokens of their own: syntax.ts. Emphasis in Chinese, Japanese and Korean: cjk.ts.
 */
class ChatTokenizer extends Tokenizer {
  /** Characters of nested blocks that may be parsed. */
  content = 0;
  #blocks = 0;
  #spans = 0;

  override blockquote(source: string): Tokens.Blockquote | undefined {
    const queue = this.lexer.inlineQueue;
    const from = queue.length;
    const quote = this.#inBlock(() => super.blockquote(source));
    const [first] = quote?.tokens ?? [];
    const [mark, kind] = first?.type === 'paragraph' ? (ALERT.exec(first.raw) ?? []) : [];
    if (quote === undefined || first?.type !== 'paragraph' || mark === undefined || kind === undefined) return quote;
    // Not parsed a second time: nested alerts would double the work at each level.
    const rest = first.raw.slice(mark.length);
    const content = queue.slice(from).find(({ tokens }) => tokens === first.tokens);
    if (content !== undefined) content.src = rest.trim();
    if (rest.trim() === '') quote.tokens.shift();
    return Object.assign(quote, { alert: kind.toLowerCase() });
  }

  override list(source: string): Tokens.List | undefined {
    return this.#inBlock(() => super.list(source));
  }

  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    const boundary = source.startsWith('*') ? this.#boundary(source, masked, before) : before;
    return this.#inSpan(() => super.emStrong(source, masked, boundary));
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    if (!source.startsWith('~~')) return undefined;
    const boundary = this.#boundary(source, masked, before);
    return this.#inSpan(() => super.del(source, masked, boundary));
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    return this.#inSpan(() => super.link(source));
  }

  override reflink(source: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#inSpan(() => super.reflink(source, links));
  }

  /** A line of a list item, which marked reads as a whole. */
  override text(source: string): Tokens.Text | undefined {
    const at = source.includes('<') ? interruption(source) : -1;
    return super.text(at > 0 ? source.slice(0, at) : source);
  }

  #boundary(source: string, masked: string, before = ''): string {
    return boundaryBefore(source, masked.slice(0, masked.length - source.length), before);
  }

  #inBlock<T>(read: () => T): T | undefined {
    if (this.#blocks >= MAX_NESTING || this.content < 0) return undefined;
    this.#blocks += 1;
    try {
      return read();
    } finally {
      this.#blocks -= 1;
    }
  }

  #inSpan<T>(read: () => T): T | undefined {
    if (this.#spans >= MAX_NESTING) return undefined;
    this.#spans += 1;
    try {
      return read();
    } finally {
      this.#spans -= 1;
    }
  }

  override html(): undefined {
    return undefined;
  }

  override tag(source: string): Tokens.Tag | undefined {
    const [raw, slash, name] = HARMLESS_TAG.exec(source) ?? [];
    if (raw === undefined || slash === undefined || name === undefined) return undefined;
    const text = `<${slash}${name.toLowerCase()}>`;
    return { type: 'html', raw, text, block: false, inLink: false, inRawBlock: false };
  }

  override def(source: string): Tokens.Def | undefined {
    if (source.trimStart().startsWith('[^')) return undefined;
    const end = source.indexOf('\n');
    const line = end < 0 ? source : source.slice(0, end);
    const found = super.def(line);
    return found?.raw.length === line.length ? found : undefined;
  }
}

const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;
const HARMLESS_TAG = /^<(\/?)(br|sub|sup|kbd|mark|u|small|b|i|s|em|strong|del|ins)\s*\/?>/i;

/** Text that consists of one text token, whatever marked and syntax.ts look for. */
const PLAIN = /^(?:[^\\`*_~$[\]<!&@【:wW\n]|:(?!\/\/)|[wW](?![wW]{2}\.)|(?<! )\n)+$/;

/** Most cells of a long table are plain text, and marked tries all of its rules at each character that may begin a span. */
class ChatLexer extends Lexer {
  readonly #tokenizer: ChatTokenizer;

  constructor(tokenizer: ChatTokenizer) {
    super({ gfm: true, breaks: false, pedantic: false, tokenizer, extensions: chatSyntax(), hooks });
    this.#tokenizer = tokenizer;
  }

  override blockTokens(source: string, tokens?: Token[], isCut?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isCut?: boolean): TokensList;
  override blockTokens(source: string, tokens?: Token[], isCut?: boolean): Token[] {
    this.#tokenizer.content -= source.length;
    return super.blockTokens(source, tokens, isCut);
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length > MAX_INLINE) return this.#pieces(source, tokens);
    if (tokens.length > 0 || !PLAIN.test(source)) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source, escaped: false });
    return tokens;
  }

  #pieces(source: string, tokens: Token[]): Token[] {
    for (const piece of inlinePieces(source)) {
      if (PLAIN.test(piece)) tokens.push({ type: 'text', raw: piece, text: piece, escaped: false });
      else tokens.push(...super.inlineTokens(piece, []));
    }
    return tokens;
  }
}

const hooks = new Hooks();
hooks.emStrongMask = maskFormulas;

/** The tokens of `source`; `links` are definitions before it. */
export function lex(source: string, links: Links): TokensList {
  const tokenizer = new ChatTokenizer();
  tokenizer.content = maxContent(source.length);
  const lexer = new ChatLexer(tokenizer);
  Object.assign(lexer.tokens.links, links);
  const { block } = tokenizer.rules;
  tokenizer.rules = { ...tokenizer.rules, block: { ...block, heading: headingRule }, inline: inlineRulesFor(source) };
  return lexer.lex(source);
}
