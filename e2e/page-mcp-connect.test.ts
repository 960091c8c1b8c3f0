import { expect, test } from 'vitest';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually, startScriptedMcp, startScriptedSse, startScriptedWebSocket } from '@toolyard/testing';
import { describeTab, draftOf, openTab, RICH } from './support/tab.ts';
import type { TabResources, TabStore } from './support/tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;
declare const mcpResourceStore: TabResources;

const originOf = (url: string): string => new URL(url.replace(/^ws/, 'http')).origin;

describeTab('flow initialization, in a browser', (undo) => {
  test('over Streamable HTTP, from the tab itself: phases, capabilities, tools, resources and templates', async () => {
    const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const { page, add, health } = undo.use(await openTab());
    const id = await add(draftOf('Rich', peer.url));
    const known = await health(id);
    expect(known).toMatchObject({
      state: 'ready',
      phase: 'connected',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'rich', version: '1.2.3' },
      instructions: 'Be kind.',
      toolCount: 5,
      capabilities: { resources: true, prompts: true },
    });
    expect(known?.phases.map(({ phase }) => phase)).toEqual([
      'transport_creating',
      'transport_ready',
      'initializing',
      'capabilities_exchanged',
      'listing',
      'connected',
    ]);
    expect(await page.evaluate(() => [mcpStore.connectedServers, mcpStore.toolCount, mcpStore.error])).toEqual([
      [id],
      5,
      null,
    ]);
    await page.waitForFunction((of) => mcpResourceStore.serverResources.get(of)?.templates.length === 1, id);
    const listed = await page.evaluate((of) => mcpResourceStore.serverResources.get(of), id);
    expect(listed).toMatchObject({ resources: [{ uri: 'x:notes' }], templates: [{ uriTemplate: 'x:{day}' }] });
    // The browser itself went there, not the server of the page, and it told nobody who it is.
    const [first] = peer.requests.filter(({ method }) => method === 'POST');
    expect(first?.headers.origin).toBe(new URL(page.url()).origin);
    expect(first?.headers).not.toHaveProperty('cookie');
    expect(first?.headers).not.toHaveProperty('referer');
  });

  test('over HTTP+SSE, named or found out', async () => {
    const peer = undo.use(await startScriptedSse(RICH, { cors: {} }));
    const { add, health } = undo.use(await openTab());
    const named = await add(draftOf('Named', peer.url, { transport: 'sse' }));
    const found = await add(draftOf('Found', peer.url));
    expect(await health(named)).toMatchObject({ state: 'ready', toolCount: 5 });
    expect(await health(found)).toMatchObject({ state: 'ready', toolCount: 5 });
  });

  test('over a WebSocket, subprotocol mcp', async () => {
    const peer = undo.use(await startScriptedWebSocket(RICH));
    const { page, add, health } = undo.use(await openTab());
    const id = await add(draftOf('Socket', peer.url, { transport: 'websocket' }));
    expect(await health(id)).toMatchObject({ state: 'ready', toolCount: 5 });
    expect(peer.handshakes[0]).toMatchObject({
      'sec-websocket-protocol': 'mcp',
      origin: new URL(page.url()).origin,
    });
  });

  test('a server of the modern era is told apart', async () => {
    const peer = undo.use(await startScriptedMcp({ ...RICH, era: 'modern' }, { cors: {} }));
    const { add, health } = undo.use(await openTab());
    expect(await health(await add(draftOf('Modern', peer.url)))).toMatchObject({ state: 'ready', era: 'modern' });
  });

  test('a server that lets no page in is reached through the proxy, with its headers', async () => {
    const peer = undo.use(await startScriptedMcp(RICH, { requireToken: 'key-of-ann' }));
    const { page, add, health } = undo.use(await openTab([originOf(peer.url)]));
    const headers = { Authorization: 'Bearer key-of-ann' };
    const direct = await add(draftOf('Direct', peer.url, { headers }));
    expect(await health(direct)).toMatchObject({ state: 'failed', error: { code: 'server_unreachable' } });
    const proxied = await add(draftOf('Proxied', peer.url, { headers, useProxy: true }));
    expect(await health(proxied)).toMatchObject({ state: 'ready', toolCount: 5 });
    const last = peer.requests.at(-1)?.headers ?? {};
    expect(last).not.toHaveProperty('origin');
    expect(last).not.toHaveProperty('cookie');
    expect(await page.evaluate(() => mcpStore.connectedServers)).toEqual([proxied]);
  });

  test('what keeps a page from a server is looked up and told with its failure', async () => {
    const peer = undo.use(await startScriptedMcp(RICH));
    const { page, add } = undo.use(await openTab());
    const id = await add(draftOf('Shut', peer.url));
    await page.waitForFunction((of) => {
      const hint = mcpStore.list.find((one) => one.id === of)?.error?.hint;
      return hint?.includes('does not send Access-Control-Allow-Origin') === true;
    }, id);
    expect(peer.sessionCount).toBe(0);
  });

  test('what the proxy refuses is told in its own words', async () => {
    const peer = undo.use(await startScriptedMcp(RICH));
    const socket = undo.use(await startScriptedWebSocket(RICH));
    const { add, health } = undo.use(await openTab());
    const id = await add(draftOf('Inside', peer.url, { useProxy: true }));
    expect(await health(id)).toMatchObject({
      state: 'failed',
      error: {
        code: 'address_refused',
        hint: expect.stringContaining(`--proxy-allow ${originOf(peer.url)}`) as string,
      },
    });
    const bySocket = await add(draftOf('Ws', socket.url, { transport: 'websocket', useProxy: true }));
    expect(await health(bySocket)).toMatchObject({ state: 'failed' });
    expect([peer.requests, socket.handshakes]).toEqual([[], []]);
  });

  test('the proxy carries HTTP+SSE and WebSockets, headers and all', async () => {
    const sse = undo.use(await startScriptedSse(RICH));
    const socket = undo.use(await startScriptedWebSocket(RICH));
    const { add, health } = undo.use(await openTab([originOf(sse.url), originOf(socket.url)]));
    const byStream = await add(draftOf('Sse', sse.url, { transport: 'sse', useProxy: true }));
    expect(await health(byStream)).toMatchObject({ state: 'ready', toolCount: 5 });
    const headers = { Authorization: 'Bearer key-of-ann' };
    const bySocket = await add(draftOf('Ws', socket.url, { transport: 'websocket', useProxy: true, headers }));
    expect(await health(bySocket)).toMatchObject({ state: 'ready', toolCount: 5 });
    expect(socket.handshakes[0]).toMatchObject({ authorization: 'Bearer key-of-ann' });
  });

  test('a WebSocket with headers and without the proxy says what to do', async () => {
    const { add, health } = undo.use(await openTab());
    const headers = { Authorization: 'Bearer key' };
    const id = await add(draftOf('Ws', 'ws://127.0.0.1:9/mcp', { transport: 'websocket', headers }));
    expect(await health(id)).toMatchObject({
      state: 'failed',
      error: { code: 'bad_config', hint: expect.stringContaining('proxy') as string },
    });
  });

  test('servers connect at the same time: one that never answers holds nobody up', async () => {
    const slow = undo.use(await startScriptedMcp('hang-in-initialize', { cors: {} }));
    const fast = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const { page, health, becomes } = undo.use(await openTab());
    const entered = [draftOf('Slow', slow.url), draftOf('Fast', fast.url)];
    await page.evaluate((drafts) => drafts.map((draft) => mcpStore.add(draft).id), entered);
    await becomes('browser-fast', 'ready');
    await eventually(async () =>
      expect(await health('browser-slow')).toMatchObject({ state: 'connecting', phase: 'initializing' }),
    );
  });

  test('two servers with a tool of one name: each keeps its own', async () => {
    const says = (text: string): McpBehaviour => ({ tools: [{ name: 'search', does: [{ do: 'text', text }] }] });
    const one = undo.use(await startScriptedMcp(says('of one'), { cors: {} }));
    const two = undo.use(await startScriptedMcp(says('of two'), { cors: {} }));
    const { page, add } = undo.use(await openTab());
    await add(draftOf('One', one.url));
    await add(draftOf('Two', two.url));
    const answers = await page.evaluate(async () => {
      const found = [];
      for (const { name } of mcpStore.tools()) {
        const indexed = mcpStore.resolve(name);
        if (indexed) found.push([name, (await mcpStore.executeTool(indexed.tool, {})).content]);
      }
      return found;
    });
    expect(answers).toEqual([
      ['browser-one__search', [{ type: 'text', text: 'of one' }]],
      ['browser-two__search', [{ type: 'text', text: 'of two' }]],
    ]);
  });

  test('trying a server keeps nothing, and tells which header stands in the way', async () => {
    const open = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const shut = undo.use(await startScriptedMcp(RICH, { cors: { allowHeaders: 'content-type' } }));
    const { page } = undo.use(await openTab());
    const tested = (url: string) =>
      page.evaluate(
        async (draft) => {
          const { ok, tools, findings } = await mcpStore.test(draft);
          return { ok, tools: tools.length, findings: findings.map(({ text }) => text) };
        },
        draftOf('Try', url),
      );
    expect(await tested(open.url)).toMatchObject({ ok: true, tools: 5 });
    expect(await tested(shut.url)).toMatchObject({
      ok: false,
      tools: 0,
      findings: expect.arrayContaining([
        expect.stringMatching(/Access-Control-Allow-Headers does not name .*mcp-protocol-version/),
      ]) as string[],
    });
    expect(open.sessionCount).toBe(0);
    expect(await page.evaluate(() => [mcpStore.list.length, localStorage.getItem('toolyard:mcp-servers:1')])).toEqual([
      0,
      null,
    ]);
  });

  test('set-up may be asked for as often as one likes: it is done once, in the background', async () => {
    const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const tab = undo.use(await openTab());
    await tab.add(draftOf('Rich', peer.url));
    await tab.page.reload();
    const seen = await tab.page.evaluate(async () => {
      const asked = [mcpStore.ensureInitialized(), mcpStore.ensureInitialized()];
      const during = mcpStore.isInitializing;
      await Promise.all(asked);
      await mcpStore.ensureInitialized();
      return [during, mcpStore.isInitializing, mcpStore.connectedServers.length];
    });
    expect(seen).toEqual([true, false, 1]);
    expect(peer.received.filter(({ method }) => method === 'initialize')).toHaveLength(2);
  });

  test('an edited server is connected anew with what was entered; the others are not touched', async () => {
    const one = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const two = undo.use(await startScriptedMcp(RICH, { cors: {} }));
    const { page, add, becomes } = undo.use(await openTab());
    const id = await add(draftOf('One', one.url));
    await add(draftOf('Two', two.url));
    const { sessionCount } = two;
    await page.evaluate((of) => mcpStore.edit(of, { ...mcpStore.draftOf(of), headers: { 'X-Key': 'new' } }), id);
    await becomes(id, 'ready');
    await eventually(() => expect(one.requests.at(-1)?.headers['x-key']).toBe('new'));
    const hellos = (peer: typeof one): number => peer.received.filter(({ method }) => method === 'initialize').length;
    // The old session is left while the new one is opened.
    await eventually(() =>
      expect([hellos(one), hellos(two), one.sessionCount, two.sessionCount]).toEqual([2, 1, 1, sessionCount]),
    );
    // Switched off and on it is left and connected; its name alone changes nothing.
    await page.evaluate((of) => mcpStore.edit(of, { ...mcpStore.draftOf(of), name: 'Eins' }), id);
    await page.evaluate((of) => mcpStore.setEnabled(of, false), id);
    await becomes(id, 'disabled');
    await eventually(() => expect(one.sessionCount).toBe(0));
    expect(hellos(one)).toBe(2);
    await page.evaluate((of) => mcpStore.setEnabled(of, true), id);
    await becomes(id, 'ready');
    await page.evaluate((of) => mcpStore.remove(of), id);
    await eventually(() => expect(one.sessionCount).toBe(0));
    expect(two.sessionCount).toBe(sessionCount);
  });

  test('what cannot be entered is refused with the reason', async () => {
    const { page } = undo.use(await openTab());
    const refused = (url: string, headers: Record<string, string> = {}) =>
      page.evaluate(
        (draft) => {
          try {
            mcpStore.add(draft);
            return null;
          } catch (thrown) {
            return thrown instanceof Error ? thrown.message : '';
          }
        },
        draftOf('Odd', url, { headers }),
      );
    expect(await refused('mcp.example.com')).toBe('Its address is not complete.');
    expect(await refused('ftp://mcp.example.com/')).toContain('must begin with http:// or https://');
    expect(await refused('https://ann:word@mcp.example.com/')).toContain('header');
    expect(await refused('https://mcp.example.com/', { 'a b': 'c' })).toContain('not the name of a header');
  });
});
