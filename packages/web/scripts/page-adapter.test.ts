import { expect, it } from 'vitest';
import { withPreloads } from './page-adapter.ts';

it('preloads each script of the chat that the page does not name yet', () => {
  const html = '<html><head><link href="/_app/a.js" rel="modulepreload"></head><body></body></html>';
  const page = withPreloads(html, ['/_app/a.js', '/_app/b.js']);
  expect(page.match(/\/_app\/a\.js/g)).toHaveLength(1);
  expect(page).toContain('<link href="/_app/b.js" rel="modulepreload">\n</head><body>');
  expect(() => withPreloads('<body>', [])).toThrow('no head');
});
