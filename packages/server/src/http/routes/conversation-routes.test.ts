import { beforeEach, describe, expect, test } from 'vitest';
import { userMessage, useDocumentedServer } from '../test-fixtures/documented.ts';
import { OWNER } from '../types.ts';

const { server, ask, post, patch, remove } = useDocumentedServer();

describe('conversations', () => {
  test('is created, renamed, pinned, configured, listed, deleted and restored', async () => {
    const created = await post('/api/conversations', { id: 'c1', configuration: { instructions: 'Be brief.' } });
    expect(created).toMatchObject({
      status: 201,
      json: { id: 'c1', title: '', resolved: { instructions: 'Be brief.' } },
    });
    const change = { title: 'Clocks', pinned: true, configuration: { parameters: { temperature: 0 } } };
    expect((await patch('/api/conversations/c1', change)).json).toMatchObject({
      title: 'Clocks',
      pinned: true,
      configuration: { parameters: { temperature: 0 } },
      resolved: { instructions: '' },
    });
    expect((await ask('/api/conversations')).json).toMatchObject({ items: [{ id: 'c1', title: 'Clocks' }] });

    expect((await remove('/api/conversations/c1')).status).toBe(204);
    expect((await ask('/api/conversations/c1')).status).toBe(404);
    expect((await ask('/api/conversations')).json).toEqual({ items: [] });
    expect((await ask('/api/conversations?deleted=1')).json).toMatchObject({ items: [{ id: 'c1' }] });
    expect((await post('/api/conversations/c1/restore')).json).toMatchObject({ title: 'Clocks' });
    expect((await ask('/api/conversations/c1')).status).toBe(200);
  });

  test('is created only once when the request is repeated after a lost response', async () => {
    await post('/api/conversations', { id: 'c1', title: 'First' });
    const again = await post('/api/conversations', { id: 'c1', title: 'Second' });
    expect(again).toMatchObject({ status: 201, json: { title: 'First' } });
  });

  test('lists have pages without gaps or duplicates', async () => {
    for (let n = 0; n < 5; n++) await post('/api/conversations', { id: `c${n}` });
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { items, next } = (await ask(`/api/conversations?limit=2${after}`)).json as {
        items: { id: string }[];
        next?: string;
      };
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ id }) => id));
      if (next === undefined) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(seen.toSorted()).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect((await ask('/api/conversations?after=nonsense')).status).toBe(400);
  });

  test('is found by its text, also in Chinese', async () => {
    await post('/api/conversations', { id: 'c1', title: '旅行' });
    await post('/api/conversations', { id: 'c2', title: 'Cooking' });
    const sent = { ...userMessage('我想知道東京的時間'), id: 'm1' };
    await post('/api/conversations/c1/messages', sent);
    const { items } = (await ask(`/api/conversations?q=${encodeURIComponent('東京')}`)).json as {
      items: { snippet: string; messageId?: string }[];
    };
    expect(items).toMatchObject([{ id: 'c1' }]);
    expect(items[0]?.snippet).toContain('\u0002東京\u0003');
    // A match in the title has no message.
    expect(items[0]?.messageId).toBe('m1');
    const { json: byTitle } = await ask('/api/conversations?q=cooking');
    expect(byTitle).toMatchObject({ items: [{ id: 'c2' }] });
    expect(JSON.stringify(byTitle)).not.toContain('messageId');
  });

  test('is deleted after its run was stopped', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', userMessage('hi'))).json as { run: { id: string } };
    await remove('/api/conversations/c1');
    expect(server.storage.runs.getRun(OWNER, run.id)).toMatchObject({ status: 'cancelled' });
  });

  test('can be opened after its agent was deleted', async () => {
    await post('/api/agents', { id: 'a1', title: 'Clerk', configuration: { instructions: 'Be a clerk.' } });
    const created = await post('/api/conversations', { id: 'c1', agentId: 'a1' });
    expect(created.json).toMatchObject({ resolved: { instructions: 'Be a clerk.' } });
    await remove('/api/agents/a1');
    expect(await ask('/api/conversations/c1')).toMatchObject({ status: 200, json: { resolved: { instructions: '' } } });
    expect(await post('/api/conversations', { agentId: 'a1' })).toMatchObject({ status: 404 });
  });
});

describe('messages', () => {
  beforeEach(() => post('/api/conversations', { id: 'c1', title: 'Clocks' }));

  test("is returned with its run, without the run's internal state", async () => {
    const sent = await post('/api/conversations/c1/messages', { id: 'm1', ...userMessage('What time is it?') });
    expect(sent).toMatchObject({ status: 201, json: { run: { status: 'running' }, message: { id: 'm1' } } });
    expect(sent.text).not.toContain('state of the loop');
    const view = (await ask('/api/conversations/c1')).json;
    expect(view).toMatchObject({ leafId: 'm1', page: { messages: [{ id: 'm1' }] }, activeRun: { status: 'running' } });
    expect((await ask('/api/conversations/c1/messages')).json).toMatchObject({
      messages: [{ id: 'm1' }],
      earlier: false,
    });
  });

  test('is queued during a run, can be changed, moved, sent at once and deleted', async () => {
    await post('/api/conversations/c1/messages', userMessage('first'));
    for (const id of ['q1', 'q2', 'q3']) {
      const queued = await post('/api/conversations/c1/messages', { id, ...userMessage(id) });
      expect(queued).toMatchObject({ status: 202, json: { queued: { id } } });
    }
    const path = '/api/conversations/c1/queue';
    expect((await patch(`${path}/q3`, { before: 'q1', ...userMessage('third') })).json).toMatchObject(
      userMessage('third'),
    );
    expect((await remove(`${path}/q2`)).status).toBe(204);
    expect((await post(`${path}/q1/send`)).status).toBe(204);
    expect((await ask(path)).json).toMatchObject({ items: [{ id: 'q3' }, { id: 'q1' }] });
    expect(await post('/api/conversations/c1/messages', { ...userMessage('x'), whenBusy: 'refuse' })).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    });
    expect((await remove(`${path}/q2`)).status).toBe(404);
  });

  test('selects another branch by one of its messages', async () => {
    for (const [id, parentId] of [
      ['m1', null],
      ['m2', 'm1'],
      ['m3', 'm1'],
    ] as const) {
      const sent = await post('/api/conversations/c1/messages', { id, parentId, ...userMessage(id) });
      server.runs.finish((sent.json as { run: { id: string } }).run.id, 'done');
    }
    expect((await ask('/api/conversations/c1')).json).toMatchObject({ leafId: 'm3' });
    expect((await patch('/api/conversations/c1', { leafId: 'm2' })).json).toMatchObject({
      leafId: 'm2',
      page: { alternatives: { m2: ['m2', 'm3'] } },
    });
    const page = await ask('/api/conversations/c1/messages?leaf=m3&limit=1');
    expect(page.json).toMatchObject({ messages: [{ id: 'm3' }], earlier: true });
    expect((await ask('/api/conversations/c1/messages?before=m3')).json).toMatchObject({ messages: [{ id: 'm1' }] });
    expect((await ask('/api/conversations/c1/messages?leaf=nobody')).status).toBe(404);
    expect((await patch('/api/conversations/c1', { leafId: 'nobody' })).status).toBe(404);
  });

  test('is regenerated', async () => {
    const sent = await post('/api/conversations/c1/messages', { id: 'm1', ...userMessage('hi') });
    server.runs.finish((sent.json as { run: { id: string } }).run.id, 'done');
    const again = await post('/api/conversations/c1/regenerate', { messageId: 'm1' });
    expect(again).toMatchObject({ status: 201, json: { run: { conversationId: 'c1' } } });
    expect(again.text).not.toContain('state of the loop');
  });

  test.each([
    ['without text', { parts: [{ type: 'text', text: ' \n' }] }],
    ['without parts', { parts: [] }],
    [
      'with an invalid URL',
      { parts: [{ type: 'image', mimeType: 'image/png', source: { url: 'file:///etc/passwd' } }] },
    ],
    ['with data that is not base64', { parts: [{ type: 'image', mimeType: 'image/png', source: { data: '<svg>' } }] }],
    [
      'with an image of another type',
      { parts: [{ type: 'image', mimeType: 'text/html', source: { url: 'https://example.com/x' } }] },
    ],
    [
      'with parts that only models write',
      { parts: [{ type: 'tool_call', callId: 'x', name: 'x', tool: null, arguments: {} }] },
    ],
    ['with unknown fields', { ...userMessage('hi'), role: 'system' }],
  ])('is rejected: %s', async (_what, body) => {
    expect(await post('/api/conversations/c1/messages', body)).toMatchObject({
      status: 400,
      json: { code: 'bad_request' },
    });
  });

  test('can have only uploaded files attached', async () => {
    const image = (blob: string) => ({ parts: [{ type: 'image', mimeType: 'image/png', source: { blob } }] });
    expect((await post('/api/conversations/c1/messages', image('0'.repeat(64)))).status).toBe(404);
    const uploaded = await ask('/api/files', { body: 'png', headers: { 'content-type': 'image/png' } });
    const { sha256 } = uploaded.json as { sha256: string };
    expect((await post('/api/conversations/c1/messages', image(sha256))).status).toBe(201);
  });
});

describe('export', () => {
  test('as JSON contains every message, with the bytes of its files', async () => {
    await post('/api/conversations', { id: 'c1', title: 'a/b: "東京"\r\nX: y' });
    const { sha256 } = (await ask('/api/files', { body: 'png', headers: { 'content-type': 'image/png' } })).json as {
      sha256: string;
    };
    const parts = [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }];
    await post('/api/conversations/c1/messages', { id: 'm1', parts });
    const exported = await ask('/api/conversations/c1/export');
    expect(exported.json).toMatchObject({
      format: 'toolyard-conversation',
      messages: [{ id: 'm1', parts: [{ source: { data: Buffer.from('png').toString('base64') } }] }],
    });
    expect(exported.headers['content-disposition']).toBe(
      `attachment; filename="a b __ X y.json"; filename*=UTF-8''a%20b%20%E6%9D%B1%E4%BA%AC%20X%20y.json`,
    );
  });

  test('as Markdown contains the current branch', async () => {
    await post('/api/conversations', { id: 'c1', title: 'Clocks' });
    await post('/api/conversations/c1/messages', userMessage('What time is it?'));
    const { text, headers } = await server.ask('/api/conversations/c1/export?format=markdown');
    expect(text).toBe('# Clocks\n\n## You\n\nWhat time is it?\n');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  });
});
