import { describe, expect, it } from 'vitest';
import type { MarkdownBlock } from './blocks.ts';
import { parseMarkdown } from './incremental.ts';
import { safeCode, safeInline } from './safe-html.ts';

// The sanitizer needs a document, which Node lacks: what reaches it here fails.
const reachesSanitizer = (sanitize: () => string) => expect(sanitize).toThrow();

const listHtml = (blocks: readonly MarkdownBlock[]) => blocks.flatMap((block) => ('html' in block ? [block.html] : []));

describe('what the page writes itself is not parsed again by the sanitizer', () => {
  it.each([
    'a **b** *c* `d` ~~e~~ [link](https://example.org/?a=1&b=2 "a title") <https://example.org>',
    '![image](https://example.org/x.png), [https://a.example](https://b.example), [mail](mailto:a@example.org)',
    '![dot](data:image/png;base64,iVBORw0KGgo=) and ![](data:image/svg+xml;base64,AAAA)',
    '<kbd>K</kbd>, H<sub>2</sub>O, <mark>this</mark><br>and $x^2$',
  ])('%s', (text) => {
    const [html = ''] = listHtml(parseMarkdown(text));
    expect(html).toContain('<');
    expect(safeInline(html)).toBe(html);
  });

  it('accepts highlighted code', () => {
    const html = '<span class="md-line"><span class="hl-token-keyword">if</span> (a &lt; b)\n</span>';
    expect(safeCode(html)).toBe(html);
  });

  it('takes time in proportion to the text', () => {
    const html = '<b>a</b> &lt; '.repeat(100_000);
    expect(safeInline(html)).toBe(html);
  });
});

describe('anything else is sanitized', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<img class="md-data" src="https://example.org/x.png" alt="">',
    '<img class="md-data" src="data:image/png;base64,AA" alt="" onerror="alert(1)">',
    '<img class="md-data" src="data:text/html;base64,AA" alt="">',
    '<b onclick="alert(1)">x</b>',
    '<b/onclick=alert(1)>x</b>',
    '<B>x</B>',
    '<b >x</b>',
    '<b\n>x</b>',
    '<svg><a href="https://example.org">x</a></svg>',
    '<style>b{}</style>',
    '<!-- x -->',
    '<b>x</b',
    '<a href="javascript:alert(1)" target="_blank" rel="noopener noreferrer">x</a>',
    '<a href=" https://example.org" target="_blank" rel="noopener noreferrer">x</a>',
    '<a href="https://example.org">x</a>',
    '<a href="https://example.org" onclick="alert(1)" target="_blank" rel="noopener noreferrer">x</a>',
    '<a href="https://example.org" title="" onclick="alert(1)" target="_blank" rel="noopener noreferrer">x</a>',
    '<a href="https://example.org" target="_blank" rel="noopener noreferrer" onclick="alert(1)">x</a>',
    '<span class="md-x-math" style="position:fixed">x</span>',
    '<span class="fixed inset-0">x</span>',
    '<span class="md-x-math fixed">x</span>',
    '<code class="fixed">x</code>',
    '<template><b>x</b></template>',
  ])('%s', (html) => {
    reachesSanitizer(() => safeInline(html));
  });

  it.each(['<a>x</a>', '<span class="hl-x" onclick="alert(1)">x</span>', '<span class="x" class="y">', '<b>x</b>'])(
    'in code: %s',
    (html) => reachesSanitizer(() => safeCode(html)),
  );
});
