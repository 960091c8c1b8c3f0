import { expect, it } from 'vitest';
import { parseMarkdown } from './incremental.ts';

function shown(markdown: string): string {
  const [block] = parseMarkdown(markdown);
  return block?.type === 'paragraph' ? block.html.replace(/<[^>]*>/g, '') : '';
}

it.each([
  ['[https://good.example/login](https://evil.example/login)', 'https://good.example/login (evil.example)'],
  ['[**good**.example](https://evil.example:81/)', 'good.example (evil.example:81)'],
  ['[good&#46;example](https://evil.example/)', 'good.example (evil.example)'],
  ['[good&period;example](https://evil.example/)', 'good&period;example (evil.example)'],
  ['[10.0.0.1](http://10.0.0.2/)', '10.0.0.1 (10.0.0.2)'],
  ['[good。example](https://evil.example/)', 'good。example (evil.example)'],
  ['[gооgle.example](https://gооgle.example/)', 'gооgle.example (xn--ggle-55da.example)'],
  ['[evil.example and good.example](https://evil.example/)', 'evil.example and good.example (evil.example)'],
  ['<https://good.example@evil.example/>', 'https://good.example@evil.example/ (evil.example)'],
  ['[ann@good.example](mailto:eve@evil.example)', 'ann@good.example (eve@evil.example)'],
])('names the host of a link whose text names another one: %s', (markdown, text) => {
  expect(shown(markdown)).toBe(text);
});

it.each([
  ['[the docs](https://good.example/docs)', 'the docs'],
  ['https://good.example/a?b=other.example', 'https://good.example/a?b=other.example'],
  ['[good.example](https://www.good.example/docs)', 'good.example'],
  ['www.good.example', 'www.good.example'],
  ['[Version 2.0, 3.14 and e.g. this](https://good.example/)', 'Version 2.0, 3.14 and e.g. this'],
  ['ann@good.example', 'ann@good.example'],
])('keeps other links unchanged: %s', (markdown, text) => {
  expect(shown(markdown)).toBe(text);
});

it.each(['png', 'jpeg', 'gif', 'webp', 'avif', 'svg+xml'])('shows an image that contains its data: %s', (type) => {
  const address = `data:image/${type};base64,AAAA`;
  const [block] = parseMarkdown(`![a "dot"](${address})`);
  expect(block).toMatchObject({ html: `<img class="md-data" src="${address}" alt="a &quot;dot&quot;">` });
});

it.each([
  'data:text/html;base64,AAAA',
  'data:image/png,AAAA',
  'data:image/svg+xml;utf8,<svg/>',
  'data:image/png;base64,A"onerror=',
  'data:image/x-icon;base64,AAAA',
  'https://a.example/x.png',
  'blob:https://a.example/x',
  '//a.example/x.png',
])('loads no other image: %s', (address) => {
  expect(JSON.stringify(parseMarkdown(`![dot](${address})`))).not.toContain('<img');
});

it.each([
  [
    '[![build](https://img.example/b.svg)](https://ci.example/)',
    ['https://img.example/b.svg', 'https://ci.example/'],
    'ci.example',
  ],
  [
    '[**![a](http://img.example/a)** docs](https://d.example/)',
    ['http://img.example/a', 'https://d.example/'],
    ' docs',
  ],
  [
    '[![a](https://i.example/1) ![b](https://i.example/2)](https://d.example/)',
    ['https://i.example/1', 'https://i.example/2', 'https://d.example/'],
    'd.example',
  ],
])('shows the images of a link before it: %s', (markdown, addresses, text) => {
  const [block] = parseMarkdown(markdown);
  const html = block?.type === 'paragraph' ? block.html : '';
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual(addresses);
  expect(html.endsWith(`rel="noopener noreferrer">${text}</a>`)).toBe(true);
  // No link in a link.
  expect(html).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
});
