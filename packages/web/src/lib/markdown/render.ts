import type { MarkedToken, Token, Tokens } from 'marked';
import { otherHost } from './link-host.ts';
import type { AlertKind, ListItem, MarkdownBlock, TableCell } from './blocks.ts';
import { costOfSpan, SLICE_COST } from './cost.ts';
import { CHARACTERS, escape } from './entities.ts';
import { MAX_INLINE, PIECE_END } from './inline-pieces.ts';
import type { SyntaxToken } from './syntax.ts';

/** A blockquote, see lexer.ts. */
type Quote = Tokens.Blockquote & { alert?: AlertKind };
type ChatToken = Exclude<MarkedToken, Tokens.Blockquote> | Quote | SyntaxToken;

/** Whether a block token is rendered: blank space and link definitions are not. */
export function isShown({ type }: Token): boolean {
  return type !== 'space' && type !== 'def';
}

/** Renders block tokens, one block for each that {@link isShown}. */
export function renderBlocks(tokens: readonly Token[]): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (const token of tokens) {
    const block = renderBlock(token as ChatToken);
    if (block !== null) blocks.push(block);
  }
  return blocks;
}

function renderBlock(token: ChatToken): MarkdownBlock | null {
  switch (token.type) {
    case 'paragraph':
      return { type: 'paragraph', html: renderWords(token.tokens) };
    case 'text':
      return { type: 'text', html: token.tokens === undefined ? escapeText(token.text) : renderWords(token.tokens) };
    case 'heading':
      return { type: 'heading', depth: token.depth, html: renderWords(token.tokens) };
    case 'hr':
      return { type: 'rule' };
    case 'code':
      if (token.lang === 'math' && !isOpenFence(token)) return { type: 'math', tex: token.text, open: false };
      return { type: 'code', ...readInfo(token), text: token.text, open: isOpenFence(token) };
    case 'blockquote':
      return { type: 'quote', alert: token.alert ?? null, blocks: renderBlocks(token.tokens) };
    case 'mathBlock':
      return { type: 'math', tex: token.text, open: token.open };
    case 'footnote':
      return { type: 'footnote', label: token.label, blocks: renderBlocks(token.tokens) };
    case 'details': {
      const summary = token.tokens === null ? null : renderWords(token.tokens);
      return { type: 'details', open: token.open, summary };
    }
    case 'detailsEnd':
      return { type: 'detailsEnd' };
    case 'list':
      return {
        type: 'list',
        ordered: token.ordered,
        start: token.start === '' ? 1 : token.start,
        items: token.items.map(renderItem),
      };
    case 'table':
      if (isTooLarge(token)) return { type: 'code', language: '', info: '', text: token.raw.trimEnd(), open: false };
      return {
        type: 'table',
        header: token.header.map(renderCell),
        rows: token.rows.map((row) => row.map(renderCell)),
      };
    default:
      return null;
  }
}

function renderItem(item: Tokens.ListItem): ListItem {
  // The checkbox of a task is rendered by the item; in a loose item it is in the first paragraph.
  return { done: item.task ? item.checked === true : null, blocks: renderBlocks(item.tokens) };
}

/** More columns are not laid out, nor are longer cells. */
const MAX_COLUMNS = 500;

/** Such a table is shown as its text: the browser lays out a row as a whole. */
function isTooLarge({ header, rows, raw }: Tokens.Table): boolean {
  if (header.length > MAX_COLUMNS) return true;
  return raw.length > MAX_INLINE && [header, ...rows].some((row) => row.some(({ text }) => text.length > MAX_INLINE));
}

function renderCell({ tokens, align }: Tokens.TableCell): TableCell {
  return { html: renderInline(tokens), align };
}

/** The first word of an info string is the language: `ts`, `c++`, `shell-session`. */
function readInfo({ lang = '' }: Tokens.Code): { language: string; info: string } {
  const language = /^[\w+#.-]+/.exec(lang)?.[0] ?? '';
  return { language, info: lang.slice(language.length) };
}

function isOpenFence(token: Tokens.Code): boolean {
  if (token.codeBlockStyle === 'indented') return false;
  const [, fence = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw) ?? [];
  const lines = token.raw.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  return lines.length < 2 || !isClosing(last, fence);
}

/** True for a line that closes a block opened with `fence`. */
export function isClosing(line: string, fence: string): boolean {
  const text = line.trim();
  if (text.length < fence.length || line.length - line.trimStart().length > 3) return false;
  const mark = fence.charAt(0);
  for (const character of text) if (character !== mark) return false;
  return true;
}

/** Inline content that may be long: it is cut between spans, by what they cost. */
function renderWords(tokens: readonly Token[], around = '', written = { cost: 0 }): string {
  let html = '';
  for (const token of tokens as readonly ChatToken[]) {
    if (written.cost >= SLICE_COST) {
      // The browser closes what is open at the end of a piece.
      html += PIECE_END + around;
      written.cost = 0;
    }
    if (token.type === 'strong' || token.type === 'em' || token.type === 'del') {
      const tag = `<${token.type}>`;
      html += `${tag}${renderWords(token.tokens, around + tag, written)}</${token.type}>`;
    } else {
      html += renderSpan(token);
      written.cost += costOfSpan(token.type === 'math', token.raw.length);
    }
  }
  return html;
}

function renderInline(tokens: readonly Token[]): string {
  let html = '';
  for (const token of tokens) html += renderSpan(token as ChatToken);
  return html;
}

function renderSpan(token: ChatToken): string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${renderInline(token.tokens)}</${token.type}>`;
    case 'codespan':
      return `<code>${escape(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'html':
      return token.text;
    case 'link':
      return renderLink(token);
    case 'image':
      return renderImage(token);
    case 'text':
      return token.tokens === undefined ? escapeText(token.text) : renderInline(token.tokens);
    case 'escape':
      return escape(token.text);
    // Filled in when it is shown: rich/placeholders.ts.
    case 'math':
      return `<code class="md-x-math${token.display ? ' md-x-display' : ''}">${escape(token.text)}</code>`;
    case 'reference':
      return `<span class="md-x-${token.of}">${escape(token.raw)}</span>`;
    case 'checkbox':
      return '';
    default:
      return escape(token.raw);
  }
}

function renderLink({ href, title, tokens }: Tokens.Link): string {
  const address = safeAddress(href);
  if (address === null) return renderInline(tokens);
  // A link cannot contain a link: the images of other hosts precede it.
  const inner = tokens.map((token) => renderSpan(token as ChatToken));
  const images = inner.filter((html) => html.includes(IMAGE_LINK));
  const rest = inner.filter((html) => !html.includes(IMAGE_LINK)).join('');
  const content = images.length > 0 && rest.trim() === '' ? escape(address.host) : rest;
  const before = images.map((html) => `${html} `).join('');
  const tip = title == null || title === '' ? '' : ` title="${escapeText(title)}"`;
  const other = otherHost(readText(content), address);
  const host = other === null ? '' : ` <small class="md-host">(${escape(other)})</small>`;
  return `${before}<a href="${escape(address.href)}"${tip} target="_blank" rel="noopener noreferrer">${content}${host}</a>`;
}

/**
 * Text of inline HTML. Any character may be written as an entity; each counts as a dot, so that no entity hides a host.
 */
function readText(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&#(?:[Xx]([\dA-Fa-f]{1,6})|(\d{1,7}));/g, (_, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replace(/&\w+;/g, (entity) => (entity === '&nbsp;' ? ' ' : (CHARACTERS[entity] ?? '.')));
}

const IMAGE_LINK = '<a class="md-image"';

/** An image executes nothing and loads nothing, SVG included. */
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/**
 * An image that contains its data is shown. Others are not loaded: the request alone would tell their host that this is
 * read. They become links that name the host, and load the image on click: rich/remote-images.ts.
 */
function renderImage({ href, text }: Tokens.Image): string {
  if (DATA_IMAGE.test(href)) return `<img class="md-data" src="${href}" alt="${escapeText(text)}">`;
  const address = safeAddress(href);
  const alt = escapeText(text);
  if (address === null || address.protocol === 'mailto:') return alt === '' ? '' : `<em>${alt}</em>`;
  const host = escape(address.host);
  const label = alt === '' ? host : `${alt} (${host})`;
  const tip = alt === '' ? '' : ` title="${alt}"`;
  return `${IMAGE_LINK} href="${escape(address.href)}"${tip} target="_blank" rel="noopener noreferrer">${label}</a>`;
}

function safeAddress(href: string): URL | null {
  const address = URL.parse(decodeEntities(href));
  if (address === null) return null;
  return ['http:', 'https:', 'mailto:'].includes(address.protocol) ? address : null;
}

/** URLs may contain `&amp;`; other entities are of no use in them. */
function decodeEntities(text: string): string {
  return text.replaceAll('&amp;', '&');
}

/** Keeps entities the author wrote, as Markdown does. */
function escapeText(text: string): string {
  return text.replace(/[<>"']|&(?!#\d{1,7};|#[Xx][\dA-Fa-f]{1,6};|\w+;)/g, escape);
}
