import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { connectPeer } from '../node/test-fixtures/connect-peer.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';

const PIXEL = 'iVBORw0KGgo=';
const clock = createFakeClock();
let peer: MemoryPeer;
let host: McpHost;
beforeEach(() => {
  peer = new MemoryPeer();
});
afterEach(() => host.close());

async function connect(answers: Record<string, JsonObject>, more: Partial<McpHostOptions> = {}): Promise<McpHost> {
  host = await connectPeer(peer, clock, answers, more);
  return host;
}

describe('a prompt', () => {
  test('keeps the roles and content types of its messages', async () => {
    await connect({
      'prompts/get': {
        description: 'A greeting.',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Hello' } },
          { role: 'assistant', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
          { role: 'user', content: { type: 'resource', resource: { uri: 'file:///a', text: 'abc' } } },
          { role: 'user', content: { type: 'hologram' } },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'one' },
              { type: 'text', text: 'two' },
            ],
          },
        ],
      },
    });
    const { description, messages } = await host.getPrompt('srv', 'greet', { who: 'you' });
    expect(description).toBe('A greeting.');
    expect(messages.map(({ role, content }) => [role, content.type])).toEqual([
      ['user', 'text'],
      ['assistant', 'image'],
      ['user', 'resource'],
      ['user', 'text'],
      ['user', 'text'],
      ['user', 'text'],
    ]);
    expect(messages[3]?.content).toMatchObject({ text: expect.stringContaining('hologram') as string });
    expect(peer.received.at(-1)).toMatchObject({ params: { name: 'greet', arguments: { who: 'you' } } });
  });

  test("with a missing argument fails with the server's message", async () => {
    await connect({ 'prompts/get': { error: { code: -32602, message: 'Missing argument: who' } } });
    await expect(host.getPrompt('srv', 'greet')).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('who') as string,
    });
  });

  test('with a known required argument is not requested without it', async () => {
    await connect({
      'prompts/list': { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }, { name: 'how' }] }] },
      'prompts/get': { messages: [] },
    });
    await expect(host.getPrompt('srv', 'greet', { how: 'warmly' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'The prompt "greet" of "srv" requires "who".',
    });
    expect(peer.countReceived('prompts/get')).toBe(0);
    expect(await host.getPrompt('srv', 'greet', { who: 'you' })).toEqual({ messages: [] });
  });

  test('of one server is listed when another server fails', async () => {
    const broken = new MemoryPeer();
    broken.capabilities = { prompts: {} };
    broken.answers['prompts/list'] = () => ({ error: { code: -32603, message: 'no luck' } });
    peer.capabilities = { prompts: {} };
    peer.answers['prompts/list'] = () => ({ result: { prompts: [{ name: 'good' }] } });
    host = new McpHost({
      servers: ['srv', 'broken'].map((id) => ({ id, transport: { type: 'in-memory', name: id } })),
      createTransport: (config, context) =>
        (context.serverId === 'srv' ? peer : broken).createTransport(config, context),
      eraMemory: peer.eraMemory,
      clock,
      clientInfo: { name: 'toolyard-test', version: '0' },
    });
    await host.connectAll();
    const { prompts, failures } = await host.getAllPrompts();
    expect(prompts.map(({ serverId, name }) => [serverId, name])).toEqual([['srv', 'good']]);
    expect(failures).toMatchObject([
      { serverId: 'broken', error: { message: expect.stringContaining('no luck') as string } },
    ]);
  });

  test('is completed with the arguments filled in so far; a server without completions is not asked', async () => {
    await connect({
      'completion/complete': {
        completion: { values: ['Taipei', 'Tainan', 3, 'x'.repeat(10_000)], total: 9, hasMore: true },
      },
    });
    const target = { prompt: 'travel' };
    expect(await host.complete('srv', target, { name: 'city', value: 'Ta' }, { country: 'TW' })).toEqual({
      values: ['Taipei', 'Tainan'],
      total: 9,
      hasMore: true,
    });
    expect(peer.received.at(-1)).toMatchObject({
      params: {
        ref: { type: 'ref/prompt', name: 'travel' },
        argument: { name: 'city', value: 'Ta' },
        context: { arguments: { country: 'TW' } },
      },
    });
    await host.complete('srv', { uriTemplate: 'file:///{path}' }, { name: 'path', value: '' });
    expect(peer.received.at(-1)).toMatchObject({ params: { ref: { type: 'ref/resource', uri: 'file:///{path}' } } });
    await host.close();
    peer = new MemoryPeer();
    await connect({});
    peer.capabilities = {};
    await host.reconnect('srv');
    expect(await host.complete('srv', target, { name: 'city', value: '' })).toEqual({ values: [], hasMore: false });
  });
});
