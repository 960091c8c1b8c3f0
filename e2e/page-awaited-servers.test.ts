import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** The URL of a server that accepts connections and never answers. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describePage('a server that does not respond', ({ set }) => {
  test('is named while the answer waits for it, and can be skipped', async () => {
    const stage = await set(({ body }) => reply.text(JSON.stringify(body).includes('Again?') ? 'Again.' : 'Hello.'));
    const page = await stage.open();
    const chat = chatPage(page);
    const transport = { type: 'http', url: await silentServer() };
    await call(stage.server.url, 'POST', '/api/mcp/servers', { id: 'slowpoke', transport, connectTimeoutMs: 600_000 });
    await chat.send('Hi?');
    await chat.reads('Waiting for slowpoke…');
    await chat.path();
    await page.reload();
    await chat.reads('Waiting for slowpoke…');
    expect(stage.model.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
    await chat.messages.getByRole('button', { name: 'Skip' }).click();
    await chat.reads('Hello.');
    await chat.waitUntilIdle();
    expect(await chat.text()).not.toContain('slowpoke');
    // The same attempt is not awaited again: nothing ends this wait but the answer.
    await chat.send('Again?');
    await chat.reads('Again.');
    const { items } = await call<{ items: { id: string; state: string }[] }>(
      stage.server.url,
      'GET',
      '/api/mcp/servers',
    );
    await eventually(() => items.find(({ id }) => id === 'slowpoke')?.state === 'connecting');
  });
});
