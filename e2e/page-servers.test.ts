import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { McpServerList } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import { reply, scriptedMcpCommand, startScriptedMcp, startScriptedWebSocket } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import type { StageOptions } from './support/stage.ts';
import { openNewServerForm, FILES, row, serversPage } from './support/servers-page.ts';

type ServersPage = ReturnType<typeof serversPage>;

describePage('MCP servers in the page', (stages) => {
  const set = async (options: StageOptions = {}): Promise<ServersPage> =>
    serversPage(await stages.set(() => reply.text('Understood.'), options));

  test('lists state, tools, errors and reconnect attempts of each server; removes one only after a confirmation', async () => {
    await using web = await startScriptedWebSocket(titled('On the web'));
    const servers = await set({ date: true });
    await servers.writeApproved({
      files: scriptedMcpCommand(FILES),
      broken: scriptedMcpCommand({ atStart: { exitCode: 3, stderr: 'no token given' } }),
      empty: {},
      off: { ...scriptedMcpCommand(titled('Switched')), disabled: true },
      web: { url: web.url },
    });
    const page = await servers.openList();
    await expectStates(page);
    await expectNoProxy(page);
    await switchOn(page, servers);
    await row(page, 'web').getByText(/Ready/).waitFor();
    await web.close();
    await reconnectNow(page);
    await remove(page, servers);
  });

  async function expectStates(page: Page): Promise<void> {
    await row(page, 'Files of a folder')
      .getByText(/Ready 3 tools about \d+ tokens local/)
      .waitFor();
    await row(page, 'broken').getByText('Failed').waitFor();
    await row(page, 'broken')
      .getByText(/no token given/)
      .waitFor();
    await row(page, 'empty').getByText('Invalid entry').waitFor();
    await row(page, 'empty')
      .getByText(/mcp\.json, line \d+: server "empty" has neither/)
      .waitFor();
    await page.getByRole('link', { name: /^off Off local/ }).waitFor();
    await row(page, 'Date and time').getByText('built in').waitFor();
    expect(await axeFinds(page)).toEqual([]);
  }

  /** This server runs with --ui-mcp-proxy: the form shows that. */
  async function expectNoProxy(page: Page): Promise<void> {
    const form = await beginInBrowser(page, 'Near me', 'http://127.0.0.1:1/mcp');
    await form.getByText(/with --ui-mcp-proxy/).waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
  }

  async function switchOn(page: Page, servers: ServersPage): Promise<void> {
    // Built-in servers are off too.
    const off = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^off / }) });
    const control = off.getByRole('switch');
    await control.click();
    await off.getByText(/Ready/).waitFor();
    expect(await control.getAttribute('aria-checked')).toBe('true');
    expect(await servers.serverOf('off')).toMatchObject({ enabled: true });
  }

  async function reconnectNow(page: Page): Promise<void> {
    await row(page, 'web')
      .getByText(/Attempt \d+ of \d+ in \d+ s/)
      .waitFor();
    await row(page, 'web').getByRole('button', { name: 'Retry now' }).click();
    await row(page, 'web')
      .getByText(/Attempt|Failed/)
      .first()
      .waitFor();
  }

  async function remove(page: Page, servers: ServersPage): Promise<void> {
    const ask = async (): Promise<Locator> => {
      await page.getByRole('button', { name: 'Actions for files' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      return page.getByRole('dialog', { name: 'Remove files?' });
    };
    await (await ask()).getByRole('button', { name: 'Cancel' }).click();
    // The toast disappears after seconds: wait for it before the click.
    const dialog = await ask();
    await Promise.all([
      page.getByText('“files” was removed.').waitFor(),
      dialog.getByRole('button', { name: 'Remove' }).click(),
    ]);
    await row(page, 'Files of a folder').waitFor({ state: 'detached' });
    expect(servers.stored()).toContain('// mine');
    expect(servers.stored()).toContain('"off"');
    expect(servers.stored()).not.toContain('"files"');
  }

  test('one server: approval, tools, permissions, log; unsandboxed ones are listed before calls run without asking; a chat chooses its tools', async () => {
    const servers = await set({ date: true });
    // Written by another program than Toolyard: the server does not start before its entry was approved.
    const command = scriptedMcpCommand({ ...FILES, tools: [...(FILES.tools ?? []), ...more(4)] });
    servers.write({ files: { ...command, env: { HIDING: 'a\u202eb' } } });
    const page = await servers.openList();
    await approve(page);
    await expectTools(page);
    await choosePermissions(page, servers);
    await readAboutAndLog(page);
    await confirmAutoMode(page);
    await chooseToolsOfChat(page);
    expect((await servers.serverOf('files'))?.tools.every(({ enabled }) => enabled)).toBe(true);
  });

  async function approve(page: Page): Promise<void> {
    await row(page, 'files').getByText('Needs your approval').waitFor();
    await page.getByRole('link', { name: /files/ }).click();
    await page.getByRole('heading', { name: 'files' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve and start' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('"HIDING": "a⟨U+202E⟩b"').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve and start' }).click();
    await page.getByRole('heading', { name: 'files', exact: true }).waitFor();
  }

  async function expectTools(page: Page): Promise<void> {
    await page.getByText('1 invalid item ignored').click();
    await page.getByText(/The tool has no name/).waitFor();
    await page.getByText(/7 of 7 on · about \d+ tokens/).waitFor();
    await page.getByRole('button', { name: /^write/ }).click();
    await page.getByText('⟨U+200B⟩').waitFor();
    await page.getByText('⟨U+202E⟩').waitFor();
    await page.getByText('"type"').first().waitFor();
  }

  async function choosePermissions(page: Page, servers: ServersPage): Promise<void> {
    const permissions = async () => (await servers.serverOf('files'))?.tools.map(({ permission }) => permission);
    await page.getByRole('switch', { name: 'Use delete' }).click();
    await page.getByText(/6 of 7 on/).waitFor();
    await reportInteractive(page);
    const decision = page.getByLabel('Permission for write').first();
    await decision.selectOption('never');
    await expect.poll(permissions).toContain('never');
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByRole('link', { name: /Files of a folder/ }).click();
    await page.getByText(/6 of 7 on/).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /Interactive\s*$/ })
      .waitFor();
    expect(await decision.inputValue()).toBe('never');
    expect(await axeFinds(page)).toEqual([]);
    await decision.selectOption('ask');
    await expect.poll(permissions).not.toContain('never');
    await page.getByRole('button', { name: 'All on' }).click();
    await page.getByText(/7 of 7 on/).waitFor();
  }

  /** From now on the API reports all servers as interactive. */
  async function reportInteractive(page: Page): Promise<void> {
    await page.route(
      (url) => url.pathname === '/api/mcp/servers',
      async (route) => {
        const response = await route.fetch();
        const { items, ...rest } = (await response.json()) as McpServerList;
        await route.fulfill({
          response,
          json: { ...rest, items: items.map((one) => ({ ...one, interactive: true })) },
        });
      },
    );
  }

  async function readAboutAndLog(page: Page): Promise<void> {
    // By keyboard from one tab to the next.
    await page.getByRole('tab', { name: /Tools/ }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Read before you write.', { exact: true }).waitFor();
    await page.getByText(/so each chat gets its own connection/).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('End');
    await page.getByRole('list', { name: 'Events' }).getByText('Connected').waitFor();
    await page.getByText('Messages', { exact: true }).click();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('tools/list', { exact: true }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('initialize');
    await messages.getByText('tools/list', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
    // New messages are shown, unless the list is paused.
    const before = await messages.getByRole('listitem').count();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page
      .getByText(/Paused\./)
      .last()
      .waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => messages.getByRole('listitem').count()).toBeGreaterThan(before);
  }

  /** The server has no sandbox: running all calls without approval is confirmed, with its name. */
  async function confirmAutoMode(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Permissions', exact: true }).click();
    const mode = page.getByLabel('Approval of tool calls');
    await mode.selectOption('auto');
    const dialog = page.getByRole('dialog', { name: 'Run calls without asking?' });
    await dialog.getByText('files', { exact: true }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => mode.inputValue()).toBe('');
    await mode.selectOption('auto');
    await dialog.getByRole('button', { name: 'Run without asking' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => mode.inputValue()).toBe('auto');
    await page.getByText('Saved', { exact: true }).waitFor();
  }

  async function chooseToolsOfChat(page: Page): Promise<void> {
    await chatPage(page).anew();
    // Seven of the server, seven of Toolyard's own.
    await page.getByRole('button', { name: /^Tools: 14 on/ }).click();
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await panel.getByText(/14 tools, about [\d,]+ tokens per request/).waitFor();
    await panel.getByRole('searchbox', { name: 'Search servers and tools' }).fill('write');
    await panel.getByRole('switch', { name: 'Use write', exact: true }).click();
    await panel.getByText(/13 tools, about/).waitFor();
    expect(await panel.getByRole('switch', { name: 'Use read', exact: true }).count()).toBe(0);
    expect(await axeFinds(page)).toEqual([]);
  }

  test('servers of this browser only are tested, stored in the browser, and reached through the proxy if CORS forbids more', async () => {
    await using open = await startScriptedMcp(FILES, { cors: {} });
    await using shut = await startScriptedMcp(FILES);
    const servers = await set({ args: ['--ui-mcp-proxy', '--proxy-allow', new URL(shut.url).origin] });
    const page = await servers.openList();
    await addDirectly(page, open.url);
    await addThroughProxy(page, shut.url);
    await page.reload();
    await row(page, 'Shut').getByText('this browser only').waitFor();
    await row(page, 'Near me').getByText('this browser only').waitFor();
    await page.getByRole('link', { name: /Near me/ }).click();
    await page.getByText(/3 of 3 on/).waitFor();
    await page.getByRole('button', { name: /^read/ }).click();
    await page.getByText('"type"').first().waitFor();
    expect(await axeFinds(page)).toEqual([]);
    expect(servers.stored()).not.toContain('Near me');
  });

  async function beginInBrowser(page: Page, name: string, url: string): Promise<Locator> {
    const form = await openNewServerForm(page);
    await form.getByText('Remote URL', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill(name);
    await form.getByLabel('URL', { exact: true }).fill(url);
    await form.getByRole('radio', { name: /This browser only/ }).check();
    return form;
  }

  async function addDirectly(page: Page, url: string): Promise<void> {
    const form = await beginInBrowser(page, 'Near me', url);
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test passed').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Near me')
      .getByText(/Ready 3 tools/)
      .waitFor();
  }

  async function addThroughProxy(page: Page, url: string): Promise<void> {
    const form = await beginInBrowser(page, 'Shut', url);
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test failed').waitFor();
    await form
      .getByText(/Access-Control-Allow-Origin/)
      .first()
      .waitFor();
    await form.getByRole('checkbox', { name: 'Connect through Toolyard' }).check();
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test passed').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Shut')
      .getByText(/Ready 3 tools/)
      .waitFor();
  }

  test('fits the width of a phone, and has no English left in Chinese', async () => {
    const servers = await set();
    await servers.writeApproved({
      files: scriptedMcpCommand(FILES),
      broken: {},
      gone: { url: 'http://127.0.0.1:1/mcp' },
    });
    const viewport = { width: 360, height: 740 };
    const page = await stages.now.open('/settings/tools', {
      viewport,
      hasTouch: true,
      isMobile: true,
      locale: 'zh-TW',
    });
    const width = (): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth');
    await row(page, 'broken').getByText('項目無效', { exact: true }).waitFor();
    // What the server writes in English is translated, with its values.
    await row(page, 'gone').getByText('連接埠 1 不允許 HTTP 請求。').waitFor();
    await page.getByRole('link', { name: /向您提問/ }).waitFor();
    expect(await width()).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: '新增伺服器' }).click();
    await page.getByText('遠端 URL', { exact: true }).click();
    await page.getByRole('button', { name: '新增標頭' }).click();
    expect(await width()).toBeLessThanOrEqual(360);
    const dialog = page.getByRole('dialog');
    expect(
      (await dialog.innerText()).replaceAll(/Toolyard|Authorization|Bearer|mcp\.json|CORS|HTTP\+SSE|[\d\s:/.]/g, ''),
    ).not.toMatch(/[A-Za-z]{4,}/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Files of a folder/ }).click();
    await page.getByRole('button', { name: /^write/ }).click();
    expect(await width()).toBeLessThanOrEqual(360);
    await page.getByRole('tab', { name: '紀錄' }).click();
    await page.getByText('訊息', { exact: true }).click();
    expect(await width()).toBeLessThanOrEqual(360);
  });
});

/** The same tools under another title, so that rows differ. */
function titled(title: string): McpBehaviour {
  return { ...FILES, serverInfo: { name: 'other', version: '1.4.0', title } };
}

function more(count: number): NonNullable<McpBehaviour['tools']> {
  return Array.from({ length: count }, (_, at) => ({ name: `more-${String(at)}`, description: 'One more.' }));
}
