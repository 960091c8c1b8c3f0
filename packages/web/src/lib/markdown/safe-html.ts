import DOMPurify from 'dompurify';

/**
 * The last check before `{@html}`. Its input was escaped and tagged by this folder (render.ts, highlighter.ts), which
 * treat model output as text only. Should either have a bug, nothing but inline tags without style, script or a URL of
 * their own passes here; neither do `data-` attributes and SVG.
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
    'span',
    'strong',
    'sub',
    'sup',
    'u',
  ],
  ALLOWED_ATTR: ['href', 'title', 'target', 'rel', 'class'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  // They contain no URL, and would be removed because they do not look like one.
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

/** Fast path: text without a complete tag cannot contain anything dangerous, and most text has none. */
function plain(html: string): boolean {
  return !html.includes('<');
}
