import { expect, it } from 'vitest';
import { withFirstPaint, withPreloads } from './page-adapter.ts';

it('preloads each script of the chat that the page does not name yet', () => {
  const html = '<html><head><link href="/_app/a.js" rel="modulepreload"></head><body></body></html>';
  const page = withPreloads(html, ['/_app/a.js', '/_app/b.js']);
  expect(page.match(/\/_app\/a\.js/g)).toHaveLength(1);
  expect(page).toContain('<link href="/_app/b.js" rel="modulepreload">\n</head><body>');
  expect(() => withPreloads('<body>', [])).toThrow('no head');
});

it('puts the rules of the first paint into the page, and requests the rest behind it', () => {
  const css = '@layer base,utilities;p{margin:0}@layer utilities{.a\\:b{top:0}.c{top:1px}.a\\:b .c{top:2px}}';
  const start = '/_app/immutable/entry/start.x.js';
  const html =
    `<head><link href="${start}" rel="modulepreload">\n<link href="/a.css" rel="stylesheet"></head>` +
    `<body><p class="a:b"></p><!-- preloads: scripts/page-adapter.ts --><div style="display: contents"><script>import("${start}").then(async (kit) => {});</script></div></body>`;
  const page = withFirstPaint(html, (path) => (path === '/a.css' ? css : ''));
  expect(page).toContain(
    '<head><style>@layer base,utilities;p{margin:0}@layer utilities{.a\\:b{top:0}}</style></head>',
  );
  expect(page).toContain(`["${start}"].forEach`);
  expect(page).toMatch(
    /^<head>.*<p class="a:b"><\/p><script>[^]*<\/script><link href="\/a\.css" rel="stylesheet">\s+<div/,
  );
  expect(page).toContain(`.then(() => import("${start}")).then(async (kit) => {});`);
  expect(() => withFirstPaint(html.replace('import', ''), () => '')).toThrow('imports no script');
});
