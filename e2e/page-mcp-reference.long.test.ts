import { expect, test } from 'vitest';
import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { openWithServers, storedServer } from './support/browser-servers.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { startReferenceServer } from './support/reference-server.ts';

/** Calls the tool named by the last message. */
const callsNamed: ModelScript = ({ body }) => {
  const messages = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const last = messages.at(-1);
  if (!isJsonObject(last)) return reply.text('Nothing to call.');
  const content = JSON.stringify(last['content']);
  if (last['role'] === 'tool') return reply.text(`It said: ${content}`);
  const name = /\w[\w-]*__echo/.exec(content)?.[0];
  return name === undefined
    ? reply.text('Nothing to call.')
    : reply.toolCalls([{ name, arguments: { message: 'hello' } }]);
};

describePage('the reference server in a browser', (stages) => {
  test('is called over Streamable HTTP and HTTP+SSE, directly and through the proxy', async () => {
    await using http = await startReferenceServer('streamableHttp');
    await using sse = await startReferenceServer('sse');
    const args = ['--ui-mcp-proxy', '--proxy-allow', http.origin, '--proxy-allow', sse.origin];
    const stage = await stages.set(callsNamed, { args });
    const page = await openWithServers(stage, '/settings/tools', [
      storedServer('http', `${http.origin}/mcp`),
      storedServer('http proxied', `${http.origin}/mcp`, { useProxy: true }),
      storedServer('sse', `${sse.origin}/sse`, { transport: 'sse' }),
      storedServer('sse proxied', `${sse.origin}/sse`, { transport: 'sse', useProxy: true }),
    ]);
    const chat = chatPage(page);
    await expect.poll(() => page.getByText(/Ready \d{2} tools/).count()).toBe(4);
    for (const id of ['http', 'http-proxied', 'sse', 'sse-proxied']) {
      await chat.anew();
      await chat.send(`Please call browser-${id}__echo`);
      await page.getByRole('button', { name: 'Allow once' }).first().click();
      await chat.reads(/It said: .*hello/);
      await chat.waitUntilIdle();
    }
  });
});
