import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { serveDateOverHttp } from '@toolyard/server-date';
import { reply, startModelServer } from '@toolyard/testing';
import { describeInBrowser } from './support/page-stage.ts';
import { openContext } from './support/reused-context.ts';

/** The files of examples/browser.ts, bundled for a page as its comment says. */
async function bundle(): Promise<ReadonlyMap<string, string>> {
  const bundler = await rolldown({
    input: { agent: join(import.meta.dirname, '..', 'examples', 'browser.ts') },
    platform: 'browser',
    resolve: { conditionNames: ['toolyard-src', 'browser', 'import', 'default'] },
    logLevel: 'silent',
  });
  const { output } = await bundler.generate({ format: 'esm' });
  await bundler.close();
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code]] : [])));
}

describeInBrowser('the example of an agent in a page', () => {
  test('answers with a tool of an MCP server', async () => {
    const files = await bundle();
    await using model = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: {} }]),
      reply.text('Late.'),
    ]);
    const date = await serveDateOverHttp();
    onTestFinished(() => date.close());
    // Neither server allows other origins: the one of the page passes their requests on.
    const targets: Readonly<Record<string, string>> = { v1: model.origin, mcp: new URL(date.url).origin };
    const site = createServer((request, response) => {
      const { url = '/', method = 'GET', headers } = request;
      const target = targets[url.split('/')[1] ?? ''];
      if (target === undefined) {
        const code = files.get(url);
        response.writeHead(200, { 'content-type': code === undefined ? 'text/html' : 'text/javascript' });
        response.end(code ?? '<body><script type="module" src="/agent.js"></script>');
        return;
      }
      const { accept = '', 'content-type': type = '', 'mcp-protocol-version': version } = headers;
      void (async () => {
        const body = (await request.toArray()).join('');
        const sent = {
          accept,
          'content-type': type,
          ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
        };
        const answer = await fetch(`${target}${url}`, { method, headers: sent, ...(body !== '' && { body }) });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(await answer.text());
      })();
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    onTestFinished(() => {
      site.closeAllConnections();
      site.close();
    });
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const lent = await openContext({});
    onTestFinished(() => lent.release());
    const page = await lent.newPage();
    const settings = new URLSearchParams({ baseUrl: `${origin}/v1`, model: 'scripted', server: `${origin}/mcp` });
    await page.goto(`${origin}/?${settings.toString()}`);
    await page.getByText('[get-date] Late.').waitFor();
    expect(model.requests.length).toBe(2);
  });
});
