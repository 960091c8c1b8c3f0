import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ScriptedMcp } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';
import { RICH } from './support/tab.ts';

const KEY = 'toolyard:mcp-servers:1';
const SECRETS = 'toolyard:mcp-secrets:1';

/** As the browser keeps it. */
const entry = (name: string, url: string, more: object = {}): object => ({
  id: `browser-${name.toLowerCase()}`,
  name,
  transport: 'http',
  url,
  headers: {},
  enabled: true,
  useProxy: false,
  ...more,
});

describeInBrowser('MCP servers of this browser, when the page starts', () => {
  let undo = new AsyncDisposableStack();
  let stage: Stage;
  beforeEach(async () => {
    undo = new AsyncDisposableStack();
    stage = undo.use(await setStage(() => reply.text('Hello.')));
  });
  afterEach(async () => {
    const complaints = stage.complaints.filter((text) => !/CORS policy|Content Security Policy/.test(text));
    await undo.disposeAsync();
    expect(complaints).toEqual([]);
  });

  /** A page of a browser that keeps these. */
  async function openKeeping(entries: unknown, path = '/'): Promise<Page> {
    const page = await stage.open(path);
    await keep(page, entries);
    await page.reload();
    return page;
  }

  async function keep(page: Page, entries: unknown): Promise<void> {
    await page.evaluate(([key, text]) => localStorage.setItem(key ?? '', text ?? ''), [KEY, JSON.stringify(entries)]);
  }

  const peer = async (): Promise<ScriptedMcp> => undo.use(await startScriptedMcp(RICH, { cors: {} }));
  const hellos = ({ received }: ScriptedMcp): number => received.filter(({ method }) => method === 'initialize').length;
  const isConnected = ({ received }: ScriptedMcp): boolean => received.some(({ method }) => method === 'prompts/list');

  test('those that are switched on are connected, from the browser itself, once', async () => {
    const on = await peer();
    const off = await peer();
    await openKeeping([entry('On', on.url), entry('Off', off.url, { enabled: false })]);
    await eventually(() => isConnected(on));
    expect(hellos(on)).toBe(1);
    expect(on.requests.at(-1)?.headers.origin).toBe(new URL(stage.line.url).origin);
    expect(off.requests).toEqual([]);
  });

  test('one that cannot be read harms no other, and is not lost', async () => {
    const good = await peer();
    const odd = [
      { id: 'browser-odd', name: 'Odd', transport: 'http', url: 'nowhere' },
      'not even an object',
      entry('Wild', 'https://x.example/', { enabled: 'perhaps' }),
    ];
    const page = await openKeeping([...odd, entry('Good', good.url)]);
    await eventually(() => isConnected(good));
    const kept = await page.evaluate((key) => localStorage.getItem(key), KEY);
    expect(JSON.parse(kept ?? '[]')).toEqual(expect.arrayContaining(odd));
  });

  test('what is no list at all counts as none', async () => {
    const page = await openKeeping({ servers: 7 });
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  });

  test('without any, the MCP client is not loaded', async () => {
    const page = await stage.open();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.reload();
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.waitForLoadState('load');
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((each) => ('decodedBodySize' in each ? Number(each.decodedBodySize) : 0)),
    );
    expect(loaded.filter((url) => url.includes('tab-network-worker'))).toEqual([]);
    // The client is by far the largest part of the page.
    expect(Math.max(...sizes)).toBeLessThan(300_000);
  });

  test('one that is switched off is connected where a conversation chose it, and left with it', async () => {
    const off = await peer();
    const chosen = await call<{ id: string }>(stage.server.url, 'POST', '/api/conversations', {
      title: 'With it',
      configuration: { servers: { 'browser-off': true } },
    });
    const page = await openKeeping([entry('Off', off.url, { enabled: false })]);
    await page.getByRole('link', { name: 'With it' }).waitFor();
    expect(off.requests).toEqual([]);
    await page.getByRole('link', { name: 'With it' }).click();
    await page.waitForURL(`**/c/${chosen.id}`);
    await eventually(() => isConnected(off));
    await page.goBack();
    await eventually(() => expect(off.sessionCount).toBe(0));
  });

  test('what another tab adds or takes away is followed', async () => {
    const one = await peer();
    const two = await peer();
    const page = await openKeeping([entry('One', one.url)]);
    await eventually(() => isConnected(one));
    const other = await stage.openBeside(page, '/');
    await eventually(() => expect(hellos(one)).toBe(2));
    await keep(other, [entry('Two', two.url)]);
    await eventually(() => expect([hellos(two), one.sessionCount]).toEqual([1, 1]));
  });

  test('the value of a header lasts as long as the tab, unless it is kept on purpose', async () => {
    const locked = undo.use(await startScriptedMcp(RICH, { cors: {}, requireToken: 'key-of-ann' }));
    const page = await openKeeping([entry('Locked', locked.url, { headers: { Authorization: null } })]);
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    expect(locked.requests).toEqual([]);
    const secrets = JSON.stringify({ 'browser-locked': { Authorization: 'Bearer key-of-ann' } });
    await page.evaluate(([key, text]) => sessionStorage.setItem(key ?? '', text ?? ''), [SECRETS, secrets]);
    await page.reload();
    await eventually(() => isConnected(locked));
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('key-of-ann');
    // Another tab does not know it; there it is not tried without.
    const before = hellos(locked);
    const other = await stage.openBeside(page, '/');
    await other.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    expect(hellos(locked)).toBe(before);
    await keep(other, [entry('Locked', locked.url, { headers: { Authorization: 'Bearer key-of-ann' } })]);
    await other.reload();
    await eventually(() => expect(hellos(locked)).toBeGreaterThan(1));
  });

  test('the page itself may go to no other server, its worker may', async () => {
    const page = await openKeeping([entry('Rich', (await peer()).url)]);
    const elsewhere = await peer();
    const went = await page.evaluate(
      (url) =>
        fetch(url, { method: 'POST', mode: 'no-cors' }).then(
          () => 'it went',
          () => 'it did not',
        ),
      elsewhere.url,
    );
    expect(went).toBe('it did not');
    expect(elsewhere.requests).toEqual([]);
  });
});
