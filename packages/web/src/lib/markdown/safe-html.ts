import DOMPurify from 'dompurify';

/**
 * The last gate before `{@html}`. What comes here was escaped and tagged by this folder already (render.ts,
 * highlighter.ts): model output reaches it as text only. Should either ever let something through, nothing but inline
 * tags without style, script or address of their own passes here. `data-` attributes and SVG do not.
 */
const INLINE = {
  ALLOWED_TAGS: [
    'a',
    'b',
    'br',
    'code',
    'del',
    'em',
    'i',
    'ins',
    'kbd',
    'mark',
    's',
    'small',
    'strong',
    'sub',
    'sup',
    'u',
  ],
  ALLOWED_ATTR: ['href', 'title', 'target', 'rel', 'class'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  // They hold no address, and would be dropped for not looking like one.
  ADD_URI_SAFE_ATTR: ['target', 'rel'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const CODE = { ...INLINE, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] };

export function safeInline(html: string): string {
  return plain(html) ? html : DOMPurify.sanitize(html, INLINE);
}

export function safeCode(html: string): string {
  return plain(html) ? html : DOMPurify.sanitize(html, CODE);
}

/** Text without a tag, or a broken one, cannot hold anything; most of what is said is such. */
function plain(html: string): boolean {
  return !html.includes('<');
}
