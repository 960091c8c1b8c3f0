import { beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedMcp } from '@toolyard/testing';
import { eventually } from '@toolyard/testing';
import type { McpStore } from './mcp-store.svelte.ts';
import {
  addServer,
  countReceived,
  createDraft,
  openStore,
  PIXEL,
  RICH,
  startPeer,
} from './test-fixtures/tab-stores.ts';

let peer: ScriptedMcp;
let store: McpStore;
let id = '';

beforeEach(async () => {
  peer = await startPeer();
  store = await openStore();
  id = await addServer(store, createDraft('Rich', peer.url));
});

/** Waits for the stream on which the server reports changes. */
const waitForStream = ({ requests }: ScriptedMcp) =>
  eventually(() => requests.some(({ method }) => method === 'GET'), { what: 'the stream of the server' });

describe('tool calls from a tab', () => {
  const call = (name: string, args: Record<string, string> = {}) => store.executeTool({ serverId: id, name }, args);

  test('go to the server of the tool which the model named, with the arguments of the model', async () => {
    const indexed = store.resolve('echo');
    const result = indexed && (await store.executeTool(indexed.tool, { note: 'as asked' }));
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"note":"as asked"}' }] });
    expect(result?.isError ?? false).toBe(false);
  });

  test('return text, images, embedded resources and structured content', async () => {
    const { content, structured } = await call('everything');
    expect(content).toMatchObject([
      { type: 'text', text: 'words' },
      { type: 'image', source: { data: PIXEL } },
      { type: 'resource', uri: 'x:inside', text: 'embedded' },
    ]);
    expect(structured).toEqual({ answer: 42 });
  });

  test('return an error result when the tool fails, the server answers with an error, or the tool is unknown', async () => {
    expect(await call('fail')).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
    expect(await call('broken')).toMatchObject({ isError: true });
    expect(await call('missing')).toMatchObject({ isError: true, error: { code: 'tool_not_found' } });
    expect(store.activeFlows).toBe(0);
  });

  test('end at once when aborted, and cancel the request on the server', async () => {
    const control = new AbortController();
    const hanging = store.executeTool({ serverId: id, name: 'hang' }, {}, control.signal);
    await eventually(() => expect(countReceived(peer, 'tools/call')).toBe(1));
    expect(store.activeFlows).toBe(1);
    control.abort();
    expect(await hanging).toMatchObject({ isError: true, outcome: 'unknown' });
    expect(store.activeFlows).toBe(0);
    await eventually(() => expect(countReceived(peer, 'notifications/cancelled')).toBe(1));
  });

  test('are not made when aborted before they begin', async () => {
    const result = await store.executeTool({ serverId: id, name: 'echo' }, {}, AbortSignal.abort());
    expect(result).toMatchObject({ isError: true });
    expect(countReceived(peer, 'tools/call')).toBe(0);
  });

  test('are logged without the values of headers', async () => {
    const headers = { 'X-Key': 'very-secret-key' };
    const keyed = await addServer(store, createDraft('Keyed', peer.url, { headers }));
    await store.executeTool({ serverId: keyed, name: 'echo' }, { a: 'very-secret-key' });
    const log = JSON.stringify(store.wireLog(keyed));
    expect(log).toContain('tools/call');
    expect(log).not.toContain('very-secret-key');
    expect(peer.requests.some((request) => request.headers['x-key'] === 'very-secret-key')).toBe(true);
  });
});

test('the tools of a conversation are those of its servers, without the ones it disabled', () => {
  const offered = (choices: Parameters<McpStore['tools']>[0]) => store.tools(choices).map(({ name }) => name);
  expect(offered({})).toHaveLength(5);
  expect(offered({ servers: { [id]: false } })).toEqual([]);
  expect(offered({ disabledTools: [`${id}/hang`] })).not.toContain('hang');
});

describe('prompts in a tab', () => {
  test('of all servers are listed with their servers, also when one server fails', async () => {
    const answers = { ...RICH.answers, 'prompts/list': { error: { code: -32603, message: 'out of order' } } };
    const broken = await startPeer({ ...RICH, answers });
    const failing = await addServer(store, createDraft('Broken', broken.url));
    const { prompts, failures } = await store.getAllPrompts();
    expect(prompts).toMatchObject([{ serverId: id, name: 'greet', arguments: [{ name: 'who', required: true }] }]);
    expect(failures).toMatchObject([{ serverId: failing }]);
  });

  test('are filled in by their server, with the roles and the order of the messages', async () => {
    const prompt = await store.getPrompt(id, 'greet', { who: 'Ann' });
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Say hello to Ann.' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello, Ann.' } },
    ]);
    const request = peer.received.find((message) => message['method'] === 'prompts/get');
    expect(request?.['params']).toMatchObject({ name: 'greet', arguments: { who: 'Ann' } });
    expect(store.activeFlows).toBe(0);
  });
});

describe('resources in a tab', () => {
  test('are read with all contents, and cached until the server reports a change', async () => {
    await waitForStream(peer);
    const read = () => store.readResource(id, 'x:notes');
    expect(await read()).toMatchObject([
      { type: 'resource', uri: 'x:notes', text: 'buy milk' },
      { type: 'resource', uri: 'x:notes', mimeType: 'image/png', source: { data: PIXEL } },
    ]);
    await read();
    expect(countReceived(peer, 'resources/read')).toBe(1);
    peer.announce('notifications/resources/updated', { uri: 'x:notes' });
    await eventually(async () => (await read(), countReceived(peer, 'resources/read') === 2), {
      what: 'the second read',
    });
  });

  test('are subscribed to, listed as such, and unsubscribed from', async () => {
    await waitForStream(peer);
    let updates = 0;
    const end = await store.resources.follow(id, 'x:notes', () => updates++);
    expect([...store.resources.subscriptions]).toEqual([`${id} x:notes`]);
    expect(countReceived(peer, 'resources/subscribe')).toBe(1);
    peer.announce('notifications/resources/updated', { uri: 'x:notes' });
    await eventually(() => expect(updates).toBe(1));
    await end();
    expect(countReceived(peer, 'resources/unsubscribe')).toBe(1);
    expect(store.resources.subscriptions.size).toBe(0);
  });

  test('are subscribed to again in a new session after the server has lost the old one', async () => {
    await store.resources.follow(id, 'x:notes', () => undefined);
    peer.forgetSessions();
    const read = await store.readResource(id, 'x:notes');
    expect(read[0]?.text).toBe('buy milk');
    expect(peer.sessionCount).toBe(1);
    await eventually(() => expect(countReceived(peer, 'resources/subscribe')).toBe(2));
  });
});
