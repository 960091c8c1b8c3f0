import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedMcp, ScriptedSse, ScriptedWebSocket } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp, startScriptedSse, startScriptedWebSocket } from '@toolyard/testing';
import { call } from './support/api.ts';
import { openWithServers, readStoredServers, storedServer, storeServers } from './support/browser-servers.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { startReferenceServer } from './support/reference-server.ts';
import { FILES, row } from './support/servers-page.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

const HEADERS = { Authorization: 'Bearer key-of-ann' };
/** What a page cannot read because the server does not allow its origin, or the page's policy forbids it. */
const BLOCKED = /CORS policy|Content Security Policy|WebSocket connection to/;

const getOrigin = (url: string): string => new URL(url.replace(/^ws/, 'http')).origin;
const countReceived = ({ received }: Pick<ScriptedMcp, 'received'>, wanted: string): number =>
  received.filter(({ method }) => method === wanted).length;

// What the stores do with servers is tested in packages/web/src/lib/mcp/mcp-store-*.test.ts, without a browser.
describeInBrowser('MCP servers of the browser', () => {
  let undo: AsyncDisposableStack;
  let stage: Stage;
  let page: Page;

  beforeAll(() => {
    undo = new AsyncDisposableStack();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints.filter((text) => !BLOCKED.test(text))).toEqual([]);
  });
  afterAll(() => undo.disposeAsync());

  describe('that are stored', () => {
    let http: ScriptedMcp;
    let modern: ScriptedMcp;
    let sse: ScriptedSse;
    let socket: ScriptedWebSocket;
    let locked: ScriptedMcp;
    let proxiedSse: ScriptedSse;
    let proxiedSocket: ScriptedWebSocket;
    let closed: ScriptedMcp;
    let inside: ScriptedMcp;
    let insideSocket: ScriptedWebSocket;
    let off: ScriptedMcp;
    const invalid = [
      { id: 'browser-odd', name: 'Odd', transport: 'http', url: 'nowhere' },
      'not even an object',
      { ...storedServer('Wild', 'https://x.example/'), enabled: 'perhaps' },
    ];

    beforeAll(async () => {
      http = undo.use(await startScriptedMcp(FILES, { cors: {} }));
      modern = undo.use(await startScriptedMcp({ ...FILES, era: 'modern' }, { cors: {} }));
      sse = undo.use(await startScriptedSse(FILES, { cors: {} }));
      socket = undo.use(await startScriptedWebSocket(FILES));
      locked = undo.use(await startScriptedMcp(FILES, { requireToken: 'key-of-ann' }));
      proxiedSse = undo.use(await startScriptedSse(FILES));
      proxiedSocket = undo.use(await startScriptedWebSocket(FILES));
      closed = undo.use(await startScriptedMcp(FILES));
      const narrow = undo.use(await startScriptedMcp(FILES, { cors: { allowHeaders: 'content-type' } }));
      inside = undo.use(await startScriptedMcp(FILES));
      insideSocket = undo.use(await startScriptedWebSocket(FILES));
      off = undo.use(await startScriptedMcp(FILES, { cors: {} }));
      const reference = undo.use(await startReferenceServer('streamableHttp'));
      const allowed = [locked.url, proxiedSse.url, proxiedSocket.url, reference.origin].map(getOrigin);
      const args = ['--ui-mcp-proxy', ...allowed.flatMap((origin) => ['--proxy-allow', origin])];
      stage = undo.use(await setStage(() => reply.text('Hello.'), { args }));
      const useProxy = true;
      page = await openWithServers(stage, '/settings/tools', [
        ...invalid,
        storedServer('Plain', http.url),
        storedServer('Modern', modern.url),
        storedServer('Named stream', sse.url, { transport: 'sse' }),
        storedServer('Found stream', sse.url),
        storedServer('Direct socket', socket.url, { transport: 'websocket' }),
        storedServer('Proxied', locked.url, { headers: HEADERS, useProxy }),
        storedServer('Forwarded stream', proxiedSse.url, { transport: 'sse', useProxy }),
        storedServer('Forwarded socket', proxiedSocket.url, { transport: 'websocket', headers: HEADERS, useProxy }),
        storedServer('Reference direct', `${reference.origin}/mcp`),
        storedServer('Reference forwarded', `${reference.origin}/mcp`, { useProxy }),
        storedServer('Closed', closed.url),
        storedServer('Narrow', narrow.url),
        storedServer('Refused', inside.url, { useProxy }),
        storedServer('Refused socket', insideSocket.url, { transport: 'websocket', useProxy }),
        storedServer('Keyed', 'ws://127.0.0.1:9/mcp', { transport: 'websocket', headers: HEADERS }),
        storedServer('Switched off', off.url, { enabled: false }),
      ]);
    });

    const isReady = (name: string, tools = /Ready 3 tools/): Promise<void> =>
      row(page, name).getByText(tools).waitFor();
    const pageOrigin = (): string => new URL(stage.line.url).origin;

    test('are connected over Streamable HTTP by the browser itself, without cookies and referrer', async () => {
      await isReady('Plain');
      await isReady('Modern');
      expect(countReceived(http, 'initialize')).toBe(1);
      const [first] = http.requests.filter(({ method }) => method === 'POST');
      expect(first?.headers.origin).toBe(pageOrigin());
      expect(first?.headers).not.toHaveProperty('cookie');
      expect(first?.headers).not.toHaveProperty('referer');
    });

    test('are connected over HTTP+SSE, also if Streamable HTTP is stored', async () => {
      await isReady('Named stream');
      await isReady('Found stream');
    });

    test('are connected over a WebSocket with the subprotocol mcp', async () => {
      await isReady('Direct socket');
      expect(socket.handshakes[0]).toMatchObject({ 'sec-websocket-protocol': 'mcp', origin: pageOrigin() });
    });

    test('are connected through the proxy with their headers: Streamable HTTP, HTTP+SSE and WebSocket', async () => {
      await isReady('Proxied');
      await isReady('Forwarded stream');
      await isReady('Forwarded socket');
      const last = locked.requests.at(-1)?.headers ?? {};
      expect(last.authorization).toBe(HEADERS.Authorization);
      expect(last).not.toHaveProperty('origin');
      expect(last).not.toHaveProperty('cookie');
      expect(proxiedSocket.handshakes[0]).toMatchObject({ authorization: HEADERS.Authorization });
    });

    test('include the reference server, directly and through the proxy', async () => {
      await isReady('Reference direct', /Ready \d{2} tools/);
      await isReady('Reference forwarded', /Ready \d{2} tools/);
    });

    test('show which CORS header is missing', async () => {
      await row(page, 'Closed')
        .getByText(/does not send Access-Control-Allow-Origin/)
        .waitFor();
      await row(page, 'Narrow')
        .getByText(/Access-Control-Allow-Headers does not list .*mcp-protocol-version/)
        .waitFor();
      expect(closed.sessionCount).toBe(0);
    });

    test('show why the proxy rejects them, and that a WebSocket with headers needs the proxy', async () => {
      await row(page, 'Refused')
        .getByText(`--proxy-allow ${getOrigin(inside.url)}`)
        .first()
        .waitFor();
      await row(page, 'Refused socket').getByText('Failed').waitFor();
      expect([inside.requests, insideSocket.handshakes]).toEqual([[], []]);
      await row(page, 'Keyed').getByText(/proxy/).first().waitFor();
    });

    test('are not connected when disabled, and kept when invalid', async () => {
      await isReady('Plain');
      await row(page, 'Switched off').getByText(/^Off/).waitFor();
      expect(off.requests).toEqual([]);
      const stored: unknown = JSON.parse((await readStoredServers(page)) ?? '[]');
      expect(stored).toEqual(expect.arrayContaining(invalid));
    });

    test('are reached by its worker only: the policy of the page allows no other origin', async () => {
      const before = off.requests.length;
      const outcome = await page.evaluate(
        (url) =>
          fetch(url, { method: 'POST', mode: 'no-cors' }).then(
            () => 'sent',
            () => 'blocked',
          ),
        off.url,
      );
      expect([outcome, off.requests.length]).toEqual(['blocked', before]);
    });

    test('are reconnected and listed again after their WebSocket or event stream was lost', async () => {
      await isReady('Direct socket');
      await isReady('Named stream');
      await isReady('Found stream');
      socket.dropConnections('cut');
      sse.dropStreams();
      await eventually(() => expect(socket.handshakes).toHaveLength(2));
      await eventually(() => expect(countReceived(socket, 'tools/list')).toBe(2));
      // Two servers are stored with this URL.
      await eventually(() => expect(countReceived(sse, 'tools/list')).toBe(4));
      await isReady('Direct socket');
      await isReady('Named stream');
    });

    test('are disconnected when the page is closed', async () => {
      await isReady('Direct socket');
      await page.goto('about:blank');
      await eventually(() => expect(socket.connectionCount).toBe(0));
    });
  });

  describe('that change while the page is open', () => {
    let beside: Page;
    let conversation: { id: string };

    beforeAll(async () => {
      stage = undo.use(await setStage(() => reply.text('Hello.')));
      conversation = await call(stage.server.url, 'POST', '/api/conversations', {
        title: 'With it',
        configuration: { servers: { 'browser-off': true } },
      });
      page = await openWithServers(stage, '/', { servers: 7 });
      await page.getByRole('link', { name: 'With it' }).waitFor();
      // A tab of the same origin that loads nothing.
      beside = await stage.openBeside(page, '/health');
    });

    const startPeer = async (): Promise<ScriptedMcp> => undo.use(await startScriptedMcp(FILES, { cors: {} }));

    test('are an empty list if the stored value is not a list; without servers the MCP client is not loaded', async () => {
      await page.waitForLoadState('load');
      const loaded = await page.evaluate(() =>
        performance.getEntriesByType('resource').map((each) => ({
          name: each.name,
          size: 'decodedBodySize' in each ? Number(each.decodedBodySize) : 0,
        })),
      );
      expect(loaded.length).toBeGreaterThan(0);
      expect(loaded.filter(({ name }) => name.includes('tab-network-worker'))).toEqual([]);
      // The client is by far the largest part of the page.
      expect(Math.max(...loaded.map(({ size }) => size))).toBeLessThan(300_000);
    });

    test('are connected and disconnected as another tab adds and removes them', async () => {
      const one = await startPeer();
      const two = await startPeer();
      await storeServers(beside, [storedServer('One', one.url)]);
      await eventually(() => expect([countReceived(one, 'initialize'), one.sessionCount]).toEqual([1, 1]));
      await storeServers(beside, [storedServer('Two', two.url)]);
      await eventually(() => expect([countReceived(two, 'initialize'), one.sessionCount]).toEqual([1, 0]));
    });

    test('are connected while the open conversation enables them', async () => {
      const off = await startPeer();
      const other = await startPeer();
      await storeServers(beside, [storedServer('Off', off.url, { enabled: false }), storedServer('Other', other.url)]);
      await eventually(() => expect(countReceived(other, 'initialize')).toBe(1));
      expect(off.requests).toEqual([]);
      await page.getByRole('link', { name: 'With it' }).click();
      await page.waitForURL(`**/c/${conversation.id}`);
      await eventually(() => expect(off.sessionCount).toBe(1));
      await page.goBack();
      await eventually(() => expect(off.sessionCount).toBe(0));
    });
  });
});
