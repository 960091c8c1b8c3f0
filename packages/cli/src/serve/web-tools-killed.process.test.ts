import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessagePage, Page, StoredInterrupt } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { ServedProcess } from '../test-fixtures/served-process.ts';

/** A site and search engine that never answers; records what was requested. */
const requested: string[] = [];
const site = createServer(({ url = '' }) => void requested.push(url));

beforeAll(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(() => {
  site.close();
  site.closeAllConnections();
});

describe('a server that is killed during a call of a built-in tool that reaches the web', () => {
  it('asks about it after the restart, and does not repeat it', async () => {
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await using model = await startModelServer(({ body, text }) => {
      const { messages } = body as { messages: { role: string }[] };
      if (messages.at(-1)?.role === 'tool') return reply.text('Answered.');
      return text.includes('Search it')
        ? reply.toolCalls([{ name: 'web_search', arguments: { query: 'ferry' } }])
        : reply.toolCalls([{ name: 'web_fetch', arguments: { url: `${origin}/page` } }]);
    });
    await using served = await ServedProcess.start({ model: model.url });
    const put = (path: string, method: string, body: object) =>
      fetch(`${served.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const search = { engine: 'searxng', url: origin };
    await put('/api/tools/web', 'PUT', { search, privateOrigins: [origin] });
    for (const [id, text] of [
      ['fetch', 'Read it'],
      ['search', 'Search it'],
    ]) {
      // Allowed from the start: what an approval would add is not the subject.
      await served.post('/api/conversations', { id, configuration: { servers: { web: true }, intervention: 'auto' } });
      await served.post(`/api/conversations/${id}/messages`, { parts: [{ type: 'text', text }] });
    }
    await eventually(() => expect(requested).toHaveLength(2), { what: 'both requests' });
    await served.end('SIGKILL');
    await served.start();

    const open = await eventually(
      async () => {
        const { items } = await served.get<Page<StoredInterrupt>>('/api/interrupts?status=open');
        expect(items).toHaveLength(2);
        return items;
      },
      { what: 'both calls in doubt' },
    );
    expect(open.map(({ interrupt }) => [interrupt.kind, 'name' in interrupt && interrupt.name]).toSorted()).toEqual([
      ['in_doubt', 'web_fetch'],
      ['in_doubt', 'web_search'],
    ]);
    expect(requested).toHaveLength(2);

    for (const { id } of open) await served.post(`/api/interrupts/${id}/answer`, { answer: { decision: 'failed' } });
    for (const id of ['fetch', 'search']) {
      await eventually(
        async () => {
          const { messages } = await served.get<MessagePage>(`/api/conversations/${id}/messages`);
          const text = JSON.stringify(messages);
          return text.includes('the user reports that it did not take effect') && text.includes('Answered.');
        },
        { what: `the answer of ${id}` },
      );
    }
    expect(requested).toHaveLength(2);
  });
});
