import DOMPurify from 'dompurify';

/**
 * The last check before `{@html}`. Its input was escaped and tagged by this folder (render.ts, highlighter.ts), which
 * treat model output as text only. Should either have a bug, nothing but inline tags without style, script or a URL of
 * their own passes here; neither do `data-` attributes and SVG.
 */
const TAGS = 'a b br code del em i ins kbd mark s small span strong sub sup u'.split(' ');

const INLINE = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ['href', 'title', 'target', 'rel', 'class'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  // They contain no URL, and would be removed because they do not look like one.
  ADD_URI_SAFE_ATTR: ['target', 'rel'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const CODE = { ...INLINE, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] };

/**
 * Fast paths: text, and nothing but tags exactly as render.ts and highlighter.ts write them. A tag of this form can only
 * be itself, and the parser closes what is left open. The sanitizer parses a document for each string, which takes ten
 * times as long as showing it; every cell of a table is one.
 */
const OWN_INLINE = new RegExp(
  `^[^<]*(?:<(?:${[
    `/?(?:${TAGS.join('|')})`,
    '(?:code|span) class="md-x-[a-z]+(?: md-x-display)?"',
    'small class="md-host"',
    'img class="md-data" src="data:image/(?:png|jpeg|gif|webp|avif|svg\\+xml);base64,[A-Za-z0-9+/=]+" alt="[^"<>]*"',
    'a(?: class="md-image")? href="(?:https?|mailto):[^"<>]*"(?: title="[^"<>]*")? target="_blank" rel="noopener noreferrer"',
  ].join('|')})>[^<]*)*$`,
);
const OWN_CODE = /^[^<]*(?:<(?:span class="[\w -]*"|\/span)>[^<]*)*$/;

export function safeInline(html: string): string {
  return OWN_INLINE.test(html) ? html : DOMPurify.sanitize(html, INLINE);
}

export function safeCode(html: string): string {
  return OWN_CODE.test(html) ? html : DOMPurify.sanitize(html, CODE);
}
