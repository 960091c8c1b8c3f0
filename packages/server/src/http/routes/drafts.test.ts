import { describe, expect, test } from 'vitest';
import { userMessage, useDocumentedServer } from '../test-fixtures/documented.ts';

const { ask, post, put, remove } = useDocumentedServer();

const resource = {
  id: 'a1',
  name: 'Notes',
  parts: [{ type: 'resource', uri: 'demo://notes', serverId: 'everything', text: 'Rain.' }],
  origin: { place: 'server', serverId: 'everything', uri: 'demo://notes' },
};

describe('drafts', () => {
  test('are stored per conversation with text and attachments', async () => {
    await post('/api/conversations', { id: 'c1' });
    expect((await ask('/api/drafts/c1')).json).toEqual({ text: '', attachments: [], updatedAt: 0 });
    const draft = { text: 'Summarize', attachments: [resource] };
    expect(await put('/api/drafts/c1', draft)).toMatchObject({ status: 200, json: draft });
    await put('/api/drafts/new', { text: 'another', attachments: [] });
    expect((await ask('/api/drafts/c1')).json).toMatchObject(draft);
    expect((await ask('/api/drafts/new')).json).toMatchObject({ text: 'another', attachments: [] });
  });

  test('an empty draft deletes it, and a conversation without it stays', async () => {
    await post('/api/conversations', { id: 'c1' });
    await put('/api/drafts/c1', { text: 'x', attachments: [] });
    expect((await put('/api/drafts/c1', { text: '', attachments: [] })).json).toMatchObject({ updatedAt: 0 });
    expect((await ask('/api/drafts/c1')).json).toMatchObject({ text: '' });
  });

  test('keep the mentioned agent and what was removed, also without text', async () => {
    const draft = {
      text: '',
      attachments: [],
      mention: { id: 'a1', title: 'Translator' },
      removed: [{ serverId: 'clock', uri: 'ui://clock/app#call-1' }],
    };
    await put('/api/drafts/new', draft);
    expect((await ask('/api/drafts/new')).json).toMatchObject(draft);
    await put('/api/drafts/new', { text: '', attachments: [] });
    expect((await ask('/api/drafts/new')).json).toEqual({ text: '', attachments: [], updatedAt: 0 });
  });

  test('are not found without the conversation, and rejected with a file that is not there', async () => {
    expect((await ask('/api/drafts/nowhere')).status).toBe(404);
    expect((await put('/api/drafts/nowhere', { text: 'x', attachments: [] })).status).toBe(404);
    const file = { type: 'image', mimeType: 'image/png', source: { blob: '0'.repeat(64) } };
    const rejected = await put('/api/drafts/new', { text: '', attachments: [{ id: 'f', name: 'f', parts: [file] }] });
    expect(rejected).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  test('large inline media is moved to the file store', async () => {
    const file = { type: 'image', mimeType: 'image/png', source: { data: 'A'.repeat(100_000) } };
    const stored = await put('/api/drafts/new', { text: '', attachments: [{ id: 'f', name: 'f', parts: [file] }] });
    expect(stored.json).toMatchObject({
      attachments: [{ parts: [{ source: { blob: expect.stringMatching(/^[0-9a-f]{64}$/) as string } }] }],
    });
  });

  test('are not shown any more once their conversation is deleted', async () => {
    await post('/api/conversations', { id: 'c1' });
    await put('/api/drafts/c1', { text: 'x', attachments: [] });
    await remove('/api/conversations/c1');
    expect((await ask('/api/drafts/c1')).status).toBe(404);
  });
});

describe('messages with prompts', () => {
  const prompt = (source: object) => ({
    type: 'prompt',
    serverId: 'everything',
    name: 'look',
    arguments: {},
    messages: [{ role: 'user', content: { type: 'image', mimeType: 'image/png', source } }],
  });

  test('are stored with their parts, and their files must be those of the user', async () => {
    await post('/api/conversations', { id: 'c1' });
    const foreign = await post('/api/conversations/c1/messages', {
      ...userMessage('x'),
      parts: [prompt({ blob: '0'.repeat(64) })],
    });
    expect(foreign.status).toBe(404);
    const sent = await post('/api/conversations/c1/messages', {
      ...userMessage('x'),
      id: 'm1',
      parts: [prompt({ data: 'AAAA' }), ...resource.parts],
    });
    expect(sent).toMatchObject({
      status: 201,
      json: { message: { parts: [prompt({ data: 'AAAA' }), ...resource.parts] } },
    });
  });
});
