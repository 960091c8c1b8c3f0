import { Lexer, Tokenizer } from 'marked';
import type { Links, Tokens, TokensList } from 'marked';

/**
 * GitHub's Markdown as marked reads it, with three differences. HTML is text, but for a handful of tags without
 * attributes: what a model writes never becomes a tag of the page. And a link definition is one line, so that no line
 * that comes later can change what an earlier block is.
 */
class ChatTokenizer extends Tokenizer {
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

const HARMLESS_TAG = /^<(\/?)(br|sub|sup|kbd|mark|u|small|b|i|s|em|strong|del|ins)\s*\/?>/i;

/** The tokens of `source`; `links` are definitions that came before it. */
export function lex(source: string, links: Links): TokensList {
  const lexer = new Lexer({ gfm: true, breaks: false, pedantic: false, tokenizer: new ChatTokenizer() });
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(source);
}
