import { Lexer, Tokenizer } from 'marked';
import type { Links, Tokens, TokensList } from 'marked';

/**
 * Maximum nesting of blocks and spans; deeper ones are text. Parsing and rendering are recursive: a few hundred bytes
 * could otherwise overflow the stack.
 */
export const MAX_NESTING = 24;

/**
 * GitHub Flavored Markdown as parsed by marked, with five differences. HTML is text, except a handful of tags without
 * attributes: output of a model never becomes a tag of the page. A link definition is one line, so that no later line
 * can change an earlier block. What is nested too deeply is text ({@link MAX_NESTING}). Mathematics between `\(` and
 * `\)`, or `\[` and `\]`, stays as written.
 */
class ChatTokenizer extends Tokenizer {
  #blocks = 0;
  #spans = 0;

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#inBlock(() => super.blockquote(source));
  }

  override list(source: string): Tokens.List | undefined {
    return this.#inBlock(() => super.list(source));
  }

  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#inSpan(() => super.emStrong(source, masked, before));
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    return this.#inSpan(() => super.del(source, masked, before));
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    return this.#inSpan(() => super.link(source));
  }

  override reflink(source: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#inSpan(() => super.reflink(source, links));
  }

  override escape(source: string): Tokens.Escape | undefined {
    const raw = MATHEMATICS.exec(source)?.[0];
    return raw === undefined || IN_WORDS.test(raw) ? super.escape(source) : { type: 'escape', raw, text: raw };
  }

  #inBlock<T>(read: () => T): T | undefined {
    if (this.#blocks >= MAX_NESTING) return undefined;
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
    const end = source.indexOf('\n');
    const line = end < 0 ? source : source.slice(0, end);
    const found = super.def(line);
    return found?.raw.length === line.length ? found : undefined;
  }
}

const MATHEMATICS = /^\\(?:\((?!\\\))[^]{1,2000}?\\\)|\[(?!\\\])[^]{1,2000}?\\\])/;
/** Escaped brackets around text, which are not a link. */
const IN_WORDS = /^\\.\s*\p{L}{2,}[\p{L}\p{N}\s,.;:!?'’-]*\\.$/u;

const HARMLESS_TAG = /^<(\/?)(br|sub|sup|kbd|mark|u|small|b|i|s|em|strong|del|ins)\s*\/?>/i;

/** The tokens of `source`; `links` are definitions before it. */
export function lex(source: string, links: Links): TokensList {
  const lexer = new Lexer({ gfm: true, breaks: false, pedantic: false, tokenizer: new ChatTokenizer() });
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(source);
}
