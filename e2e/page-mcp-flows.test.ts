import { beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedMcp } from '@toolyard/testing';
import { eventually, startScriptedMcp } from '@toolyard/testing';
import type { Tab } from './support/tab.ts';
import { describeTab, draftOf, openTab, PIXEL, RICH } from './support/tab.ts';
import type { TabResources, TabStore } from './support/tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;
declare const mcpResourceStore: TabResources;

describeTab('with one connected server, in a browser', (undo) => {
  let peer: ScriptedMcp;
  let tab: Tab;
  let id = '';
  beforeEach(async () => {
    peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    tab = undo.use(await openTab());
    id = await tab.add(draftOf('Rich', peer.url));
    // From now on it hears what the server says of itself.
    await eventually(() => expect(peer.requests.some(({ method }) => method === 'GET')).toBe(true));
  });

  const call = (name: string, args: Record<string, string> = {}) =>
    tab.page.evaluate(async (wanted) => mcpStore.executeTool({ serverId: wanted.id, name: wanted.name }, wanted.args), {
      id,
      name,
      args,
    });
  const activeFlows = () => tab.page.evaluate(() => mcpStore.activeFlows);
  const asked = (method: string) => peer.received.filter((message) => message['method'] === method).length;

  describe('flow tool execution', () => {
    test('a model’s name leads to server and tool, which are called with what it gave', async () => {
      const result = await tab.page.evaluate(async () => {
        const indexed = mcpStore.resolve('echo');
        return indexed && mcpStore.executeTool(indexed.tool, { note: 'as asked' });
      });
      expect(result).toMatchObject({ content: [{ type: 'text', text: '{"note":"as asked"}' }] });
      expect(result?.isError ?? false).toBe(false);
    });

    test('every kind of content comes through: text, image, embedded resource, structure', async () => {
      const { content, structured } = await call('everything');
      expect(content).toMatchObject([
        { type: 'text', text: 'words' },
        { type: 'image', source: { data: PIXEL } },
        { type: 'resource', uri: 'x:inside', text: 'embedded' },
      ]);
      expect(structured).toEqual({ answer: 42 });
    });

    test('a failure is a result that says so, and so are an error and an unknown tool', async () => {
      expect(await call('fail')).toMatchObject({ isError: true, content: [{ text: 'the disk is full' }] });
      expect(await call('broken')).toMatchObject({ isError: true });
      expect(await call('missing')).toMatchObject({ isError: true, error: { code: 'tool_not_found' } });
      expect(await activeFlows()).toBe(0);
    });

    test('a call that is stopped ends at once, tells the server, and is counted off', async () => {
      await tab.page.evaluate((of) => {
        const control = new AbortController();
        const hanging = mcpStore.executeTool({ serverId: of, name: 'hang' }, {}, control.signal);
        Object.assign(globalThis, { control, hanging });
      }, id);
      await eventually(() => expect(asked('tools/call')).toBe(1));
      expect(await activeFlows()).toBe(1);
      const result = await tab.page.evaluate(async () => {
        const here = globalThis as unknown as { control: AbortController; hanging: Promise<unknown> };
        here.control.abort();
        return here.hanging;
      });
      expect(result).toMatchObject({ isError: true, outcome: 'unknown' });
      expect(await activeFlows()).toBe(0);
      await eventually(() => expect(asked('notifications/cancelled')).toBe(1));
    });

    test('a call that was stopped before it began is not made', async () => {
      const result = await tab.page.evaluate(
        (of) => mcpStore.executeTool({ serverId: of, name: 'echo' }, {}, AbortSignal.abort()),
        id,
      );
      expect(result).toMatchObject({ isError: true });
      expect(asked('tools/call')).toBe(0);
    });

    test('what a conversation switched off is not offered', async () => {
      const offered = (choices: Parameters<TabStore['tools']>[0]) =>
        tab.page.evaluate((of) => mcpStore.tools(of).map(({ name }) => name), choices);
      expect(await offered({})).toHaveLength(5);
      expect(await offered({ servers: { [id]: false } })).toEqual([]);
      expect(await offered({ disabledTools: [`${id}/hang`] })).not.toContain('hang');
    });

    test('the log tells what went over the wire, and the secrets of no header', async () => {
      const headers = { 'X-Key': 'very-secret-key' };
      const keyed = await tab.add(draftOf('Keyed', peer.url, { headers }));
      await tab.page.evaluate(
        (of) => mcpStore.executeTool({ serverId: of, name: 'echo' }, { a: 'very-secret-key' }),
        keyed,
      );
      const wire = JSON.stringify(await tab.page.evaluate((of) => mcpStore.wireLog(of), keyed));
      expect(wire).toContain('tools/call');
      expect(wire).not.toContain('very-secret-key');
      expect(peer.requests.some((request) => request.headers['x-key'] === 'very-secret-key')).toBe(true);
    });
  });

  describe('flow prompts', () => {
    test('those of all servers are listed, each with its server; one that fails hides no other', async () => {
      const answers = { ...RICH.answers, 'prompts/list': { error: { code: -32603, message: 'out of order' } } };
      const broken = undo.use(await startScriptedMcp({ ...RICH, answers }, { cors: {} }));
      const failing = await tab.add(draftOf('Broken', broken.url));
      const { prompts, failures } = await tab.page.evaluate(() => mcpStore.getAllPrompts());
      expect(prompts).toMatchObject([{ serverId: id, name: 'greet', arguments: [{ name: 'who', required: true }] }]);
      expect(failures).toMatchObject([{ serverId: failing }]);
    });

    test('a chosen one is filled in by its server: messages, roles and order kept', async () => {
      const prompt = await tab.page.evaluate((of) => mcpStore.getPrompt(of, 'greet', { who: 'Ann' }), id);
      expect(prompt.messages).toEqual([
        { role: 'user', content: { type: 'text', text: 'Say hello to Ann.' } },
        { role: 'assistant', content: { type: 'text', text: 'Hello, Ann.' } },
      ]);
      const request = peer.received.find((message) => message['method'] === 'prompts/get');
      expect(request?.['params']).toMatchObject({ name: 'greet', arguments: { who: 'Ann' } });
      expect(await activeFlows()).toBe(0);
    });
  });

  describe('flow resources', () => {
    test('one is read, all its contents, and kept until its server says that it has changed', async () => {
      const read = () => tab.page.evaluate((of) => mcpStore.readResource(of, 'x:notes'), id);
      expect(await read()).toMatchObject([
        { type: 'resource', uri: 'x:notes', text: 'buy milk' },
        { type: 'resource', uri: 'x:notes', mimeType: 'image/png', source: { data: PIXEL } },
      ]);
      await read();
      expect(asked('resources/read')).toBe(1);
      peer.announce('notifications/resources/updated', { uri: 'x:notes' });
      await eventually(async () => {
        await read();
        expect(asked('resources/read')).toBe(2);
        return true;
      });
    });

    test('one that is followed is heard of, and shown as followed', async () => {
      await tab.page.evaluate(async (of) => {
        const heard = { times: 0 };
        const end = await mcpResourceStore.follow(of, 'x:notes', () => heard.times++);
        Object.assign(globalThis, { heard, end });
      }, id);
      expect(await tab.page.evaluate(() => [...mcpResourceStore.subscriptions])).toEqual([`${id} x:notes`]);
      expect(asked('resources/subscribe')).toBe(1);
      peer.announce('notifications/resources/updated', { uri: 'x:notes' });
      await tab.page.waitForFunction(() => (globalThis as unknown as { heard: { times: number } }).heard.times === 1);
      await tab.page.evaluate(() => (globalThis as unknown as { end: () => Promise<void> }).end());
      expect(asked('resources/unsubscribe')).toBe(1);
      expect(await tab.page.evaluate(() => mcpResourceStore.subscriptions.size)).toBe(0);
    });

    test('an attachment is there at once, loading; then with its contents', async () => {
      const states = await tab.page.evaluate(async (of) => {
        const attached = await mcpResourceStore.addAttachment({ serverId: of, uri: 'x:notes', name: 'Notes' });
        const before = mcpResourceStore.attachments.map(({ state }) => state);
        while (mcpResourceStore.attachments[0]?.state === 'loading') await new Promise((done) => setTimeout(done, 5));
        return [attached.state, before, mcpResourceStore.attachments];
      }, id);
      expect(states).toMatchObject([
        'loading',
        ['loading'],
        [{ serverId: id, name: 'Notes', state: 'ready', contents: [{ text: 'buy milk' }, {}] }],
      ]);
    });

    test('attachments go with a message once, and come back where sending it fails', async () => {
      const [parts, left, restored] = await tab.page.evaluate(async (of) => {
        await mcpResourceStore.addAttachment({ serverId: of, uri: 'x:notes', name: 'Notes' });
        const taken = await mcpResourceStore.consumeAttachments();
        const after = mcpResourceStore.attachments.length;
        taken.restore();
        return [taken.parts, after, mcpResourceStore.attachments.length] as const;
      }, id);
      expect(parts).toMatchObject([
        { type: 'resource', name: 'Notes', uri: 'x:notes', text: 'buy milk' },
        { type: 'resource', name: 'Notes', mimeType: 'image/png' },
      ]);
      expect([left, restored]).toEqual([0, 1]);
    });
  });
});
