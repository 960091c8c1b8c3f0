import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, ownPort, startScriptedMcp, startScriptedSse, startScriptedWebSocket } from '@toolyard/testing';
import { describeTab, draftOf, openTab, RICH } from './support/tab.ts';
import type { TabResources, TabStore } from './support/tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;
declare const mcpResourceStore: TabResources;

describeTab('the life of a connection, in a browser', (undo) => {
  describe('flow auto-reconnection', () => {
    test('a WebSocket that is cut is opened again, and everything listed anew', async () => {
      const peer = undo.use(await startScriptedWebSocket(RICH));
      const { page, add, becomes, health, stopTime } = undo.use(await openTab());
      const id = await add(draftOf('Socket', peer.url, { transport: 'websocket' }));
      await stopTime();
      peer.dropConnections('cut');
      await becomes(id, 'reconnecting');
      expect(await health(id)).toMatchObject({ reconnect: { attempt: 1, of: 10 }, toolCount: 5 });
      // What a model is offered does not flicker meanwhile, and a call waits.
      expect(await page.evaluate(() => mcpStore.toolCount)).toBe(5);
      const result = page.evaluate((of) => mcpStore.executeTool({ serverId: of, name: 'echo' }, { a: '1' }), id);
      await page.waitForFunction(() => mcpStore.activeFlows === 1);
      await page.clock.resume();
      expect(await result).toMatchObject({ content: [{ text: '{"a":"1"}' }] });
      await becomes(id, 'ready');
      expect(peer.handshakes).toHaveLength(2);
      expect(peer.received.filter((message) => message['method'] === 'tools/list')).toHaveLength(2);
    });

    test('so is the stream of a server of HTTP+SSE', async () => {
      const peer = undo.use(await startScriptedSse(RICH, { cors: {} }));
      const { page, add, becomes, stopTime } = undo.use(await openTab());
      const id = await add(draftOf('Stream', peer.url, { transport: 'sse' }));
      await stopTime();
      peer.dropStreams();
      await becomes(id, 'reconnecting');
      await page.clock.resume();
      await becomes(id, 'ready');
    });

    test('a session the server has forgotten is opened anew, with what was followed', async () => {
      const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
      const { page, add } = undo.use(await openTab());
      const id = await add(draftOf('Http', peer.url));
      await page.evaluate((of) => mcpResourceStore.follow(of, 'x:notes', () => undefined), id);
      peer.forgetSessions();
      const read = await page.evaluate((of) => mcpStore.readResource(of, 'x:notes'), id);
      expect(read[0]?.text).toBe('buy milk');
      expect(peer.sessionCount).toBe(1);
      await eventually(() =>
        expect(peer.received.filter((message) => message['method'] === 'resources/subscribe')).toHaveLength(2),
      );
    });

    test('after ten attempts it is left failed, and connects again when somebody asks', async () => {
      const port = await ownPort();
      const peer = await startScriptedWebSocket(RICH, { port });
      const { page, add, health, becomes, stopTime } = undo.use(await openTab());
      const id = await add(draftOf('Socket', peer.url, { transport: 'websocket' }));
      await stopTime();
      await peer.close();
      await becomes(id, 'reconnecting');
      const waits = [];
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        const known = await eventually(async () => {
          const now = await health(id);
          return now?.reconnect?.attempt === attempt && now.reconnect.at !== undefined ? now.reconnect.at : null;
        });
        const wait = known - (await page.evaluate(() => Date.now()));
        waits.push(wait);
        await page.clock.runFor(Math.ceil(wait) + 1);
      }
      await becomes(id, 'failed');
      // From 1 s to 30 s, of which chance takes off a quarter at most.
      for (const [attempt, wait] of waits.entries()) {
        const longest = Math.min(30_000, 1_000 * 2 ** attempt);
        expect(wait).toBeGreaterThanOrEqual(0.75 * longest - 1);
        expect(wait).toBeLessThanOrEqual(longest);
      }
      expect(await page.evaluate(() => mcpStore.error)).toMatchObject({ code: 'server_unreachable' });
      expect(await page.evaluate(() => mcpStore.connectedServers)).toEqual([]);

      undo.use(await startScriptedWebSocket(RICH, { port }));
      await page.evaluate((of) => mcpStore.reconnect(of), id);
      expect(await health(id)).toMatchObject({ state: 'ready', toolCount: 5 });
    });

    test('a server that is removed meanwhile never comes back', async () => {
      const port = await ownPort();
      const peer = await startScriptedWebSocket(RICH, { port });
      const { page, add, becomes, stopTime } = undo.use(await openTab());
      const id = await add(draftOf('Socket', peer.url, { transport: 'websocket' }));
      await stopTime();
      await peer.close();
      await becomes(id, 'reconnecting');
      await page.evaluate((of) => mcpStore.remove(of), id);
      const again = undo.use(await startScriptedWebSocket(RICH, { port }));
      await page.clock.runFor(120_000);
      expect(again.handshakes).toEqual([]);
      expect(await page.evaluate(() => [mcpStore.list.length, mcpStore.toolCount, mcpStore.health.size])).toEqual([
        0, 0, 0,
      ]);
    });
  });

  describe('flow shutdown', () => {
    test('waits for what is under way, ends every session, and forgets everything', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'toolyard-shutdown-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'go-on');
      const slow = {
        name: 'slow',
        does: [{ do: 'wait_for_file', file } as const, { do: 'text', text: 'done' } as const],
      };
      const peer = undo.use(await startScriptedMcp({ ...RICH, tools: [slow] }, { cors: {} }));
      const socket = undo.use(await startScriptedWebSocket(RICH));
      const { page, add } = undo.use(await openTab());
      const id = await add(draftOf('Http', peer.url));
      await add(draftOf('Socket', socket.url, { transport: 'websocket' }));
      await page.evaluate((of) => mcpResourceStore.addAttachment({ serverId: of, uri: 'x:notes' }), id);
      const calling = page.evaluate((of) => mcpStore.executeTool({ serverId: of, name: 'slow' }, {}), id);
      await eventually(() => peer.received.some(({ method }) => method === 'tools/call'), { what: 'the call' });
      const leaving = page.evaluate(async () => {
        // Longer than a busy machine may take.
        await mcpStore.shutdown(120_000);
        const { connectedServers, toolCount, activeFlows } = mcpStore;
        const { serverResources, attachments } = mcpResourceStore;
        return [connectedServers.length, toolCount, activeFlows, serverResources.size, attachments.length];
      });
      const refuses = () =>
        page.evaluate(() =>
          mcpStore.acquire().then(
            (release) => release(),
            () => true,
          ),
        );
      await eventually(refuses, { what: 'the beginning of the shutdown' });
      writeFileSync(file, '');
      const [result, after] = await Promise.all([calling, leaving]);
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
      expect(after).toEqual([0, 0, 0, 0, 0]);
      await eventually(() => expect(peer.sessionCount).toBe(0));
      await eventually(() => expect(socket.connectionCount).toBe(0));
      expect(socket.handshakes).toHaveLength(1);
    });

    test('what was acquired is waited for, and nothing new is begun', async () => {
      const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
      const { page, add } = undo.use(await openTab());
      const id = await add(draftOf('Http', peer.url));
      const order = await page.evaluate(async (of) => {
        const said: string[] = [];
        const release = await mcpStore.acquire();
        const over = mcpStore.shutdown().then(() => said.push('over'));
        await new Promise((resolve) => setTimeout(resolve, 100));
        const refused = await mcpStore.executeTool({ serverId: of, name: 'echo' }, {});
        said.push(refused.error?.code ?? 'answered', `active ${String(mcpStore.activeFlows)}`, 'released');
        release();
        release();
        await over;
        return [...said, `active ${String(mcpStore.activeFlows)}`];
      }, id);
      expect(order).toEqual(['server_closed', 'active 1', 'released', 'over', 'active 0']);
    });

    test('what does not end is not waited for longer than was said', async () => {
      const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
      const { page, add } = undo.use(await openTab());
      const id = await add(draftOf('Http', peer.url));
      const result = page.evaluate((of) => mcpStore.executeTool({ serverId: of, name: 'hang' }, {}), id);
      await eventually(() => expect(peer.received.some(({ method }) => method === 'tools/call')).toBe(true));
      await page.evaluate(() => mcpStore.shutdown(100));
      expect(await result).toMatchObject({ isError: true, outcome: 'unknown' });
      await eventually(() => expect(peer.sessionCount).toBe(0));
    });

    test('a page that is closed ends its sessions', async () => {
      const socket = undo.use(await startScriptedWebSocket(RICH));
      const tab = undo.use(await openTab());
      await tab.add(draftOf('Socket', socket.url, { transport: 'websocket' }));
      await tab.page.goto('about:blank');
      await eventually(() => expect(socket.connectionCount).toBe(0));
    });
  });
});
