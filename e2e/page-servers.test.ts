import type { Locator } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import type { McpServerList } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import {
  reply,
  scriptedMcpCommand,
  startAuthorizationServer,
  startScriptedMcp,
  startScriptedWebSocket,
} from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { describePage } from './support/page-stage.ts';
import { beginNew, FILES, row, serversPage } from './support/servers-page.ts';

describePage('MCP servers in the page', (stages) => {
  let servers: ReturnType<typeof serversPage>;

  beforeEach(async () => {
    const stage = await stages.set(() => reply.text('Understood.'), { date: true });
    servers = serversPage(stage);
  });

  test('says of each in words how it is, what it offers, what is wrong and what to do', async () => {
    await servers.writeApproved({
      files: scriptedMcpCommand(FILES),
      broken: scriptedMcpCommand({ atStart: { exitCode: 3, stderr: 'no token given' } }),
      empty: {},
      off: { ...scriptedMcpCommand(FILES), disabled: true },
    });
    const page = await servers.openList();
    await row(page, 'Files of a folder')
      .getByText(/Ready · 3 tools · about \d+ tokens · program/)
      .waitFor();
    await row(page, 'broken').getByText('Does not work').waitFor();
    await row(page, 'broken')
      .getByText(/no token given/)
      .waitFor();
    await row(page, 'empty').getByText('Cannot be read').waitFor();
    await row(page, 'empty')
      .getByText(/mcp\.json, line \d+: server "empty" has neither/)
      .waitFor();
    await row(page, 'off').getByText('Off · program').waitFor();
    await row(page, 'Date and time').getByText('built in').waitFor();
    expect(await axeFinds(page)).toEqual([]);

    await row(page, 'off').getByRole('switch').click();
    await row(page, 'off').getByText(/Ready/).waitFor();
    await page.reload();
    expect(await row(page, 'off').getByRole('switch').getAttribute('aria-checked')).toBe('true');
  });

  test('a server has a page: its entry is approved there, its tools, switches and decisions that last', async () => {
    // By another program than Toolyard: it is not started until its text was read.
    servers.write({ files: { ...scriptedMcpCommand(FILES), env: { HIDING: 'a\u202eb' } } });
    const page = await servers.openList();
    await row(page, 'files').getByText('Needs approval').waitFor();
    await page.getByRole('link', { name: /files/ }).click();
    await page.getByRole('heading', { name: 'files' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve and start' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('"HIDING": "a⟨U+202E⟩b"').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve and start' }).click();
    await page.getByRole('heading', { name: 'Files of a folder' }).waitFor();
    await page.getByText('1 thing was set aside').click();
    await page.getByText(/The tool has no name/).waitFor();
    await page.getByText(/3 of 3 on · about \d+ tokens/).waitFor();
    await page.getByRole('button', { name: /^write/ }).click();
    await page.getByText('⟨U+200B⟩').waitFor();
    await page.getByText('⟨U+202E⟩').waitFor();
    await page.getByText('"type"').first().waitFor();

    await page.getByRole('switch', { name: 'Use delete' }).click();
    await page.getByText(/2 of 3 on/).waitFor();
    const decision = page.getByLabel('When it runs: write').first();
    await decision.selectOption('never');
    await expect
      .poll(async () => (await servers.serverOf('files'))?.tools.map(({ permission }) => permission))
      .toContain('never');
    // The server was seen to be interactive meanwhile.
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
    await page.reload();
    await page.getByText(/2 of 3 on/).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: / · Interactive$/ })
      .waitFor();
    expect(await decision.inputValue()).toBe('never');
    expect(await axeFinds(page)).toEqual([]);
    await decision.selectOption('ask');
    await expect
      .poll(async () => (await servers.serverOf('files'))?.tools.map(({ permission }) => permission))
      .not.toContain('never');
    await page.getByRole('button', { name: 'All on' }).click();
    await page.getByText(/3 of 3 on/).waitFor();

    // By keyboard from one part to the next.
    await page.getByRole('tab', { name: /Tools/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Read before you write.').waitFor();
    await page.getByText(/so each chat has a connection of its own/).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('End');
    await page.getByRole('list', { name: 'What happened' }).getByText('Connected').waitFor();
    await page.getByText('Messages', { exact: true }).click();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('tools/list', { exact: true }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('initialize');
    await messages.getByText('tools/list', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
    // It grows while one looks, unless it is paused.
    const before = await messages.getByRole('listitem').count();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Connect anew' }).click();
    await page
      .getByText(/Paused\./)
      .last()
      .waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => messages.getByRole('listitem').count()).toBeGreaterThan(before);

    // It runs without a sandbox: calls without questions are confirmed beside it.
    await page.goto(new URL('/settings/general', page.url()).href);
    const mode = page.getByLabel('Asking before tools run');
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
  });

  test('a lost connection says which attempt is next, and Now makes it', async () => {
    const server = await startScriptedWebSocket(FILES);
    servers.write({ web: { url: server.url } });
    const page = await servers.openList();
    await row(page, 'web').getByText(/Ready/).waitFor();
    await server.close();
    await row(page, 'web')
      .getByText(/Attempt \d+ of \d+ in \d+ s/)
      .waitFor();
    await row(page, 'web').getByRole('button', { name: 'Now' }).click();
    await row(page, 'web')
      .getByText(/Attempt|Does not work/)
      .first()
      .waitFor();
  });

  test('signing in: in another tab, the page follows, and signing out', async () => {
    await using authorization = await startAuthorizationServer({ expiresIn: 3_600 });
    await using guarded = await startScriptedMcp(FILES, { sessions: false, protection: authorization.protect() });
    servers.write({ guarded: { url: guarded.url } });
    const page = await servers.openList();
    await row(page, 'guarded').getByText('This server wants you to sign in').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    const opened = page.context().waitForEvent('page');
    await row(page, 'guarded').getByRole('button', { name: 'Sign in' }).click();
    const tab = await opened;
    await row(page, 'guarded')
      .getByText(/Ready · 3 tools/)
      .waitFor();
    // It closes itself, maybe while it is asked.
    expect(await tab.evaluate<unknown>('window.opener').catch(() => null)).toBeNull();
    expect(authorization.grants('authorization_code')).toHaveLength(1);

    await page.getByRole('link', { name: /Files of a folder/ }).click();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText(`signed in at ${authorization.url}`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('This server wants you to sign in').waitFor();
  });

  test('where the browser opens no other tab, the way to the sign-in is a link', async () => {
    await using authorization = await startAuthorizationServer();
    await using guarded = await startScriptedMcp(FILES, { sessions: false, protection: authorization.protect() });
    servers.write({ guarded: { url: guarded.url } });
    const page = await servers.openList();
    await page.evaluate('window.open = () => null');
    await row(page, 'guarded').getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'guarded').getByText('The browser did not open another tab.').waitFor();
    const link = row(page, 'guarded').getByRole('link', { name: `Open ${new URL(authorization.url).host}` });
    expect(await link.getAttribute('href')).toContain(`${authorization.url}/authorize?`);
    expect(await link.getAttribute('rel')).toBe('noopener');
  });

  test('one is removed only after the question, and can be asked about twice', async () => {
    await servers.writeApproved({ files: scriptedMcpCommand(FILES), other: { command: 'x', disabled: true } });
    const page = await servers.openList();
    const remove = async (): Promise<Locator> => {
      await page.getByRole('button', { name: 'What to do with files' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      return page.getByRole('dialog', { name: 'Remove Files of a folder?' });
    };
    await row(page, 'Files of a folder').getByText(/Ready/).waitFor();
    await (await remove()).getByRole('button', { name: 'Cancel' }).click();
    // What is said stands for seconds only: it is waited for before it is.
    const question = await remove();
    await Promise.all([
      page.getByText('“Files of a folder” was removed.').waitFor(),
      question.getByRole('button', { name: 'Remove' }).click(),
    ]);
    await row(page, 'Files of a folder').waitFor({ state: 'detached' });
    expect(servers.stored()).toContain('// mine');
    expect(servers.stored()).toContain('"other"');
    expect(servers.stored()).not.toContain('"files"');
  });

  test('one of this browser only is tested and kept here, and Toolyard knows nothing of it', async () => {
    await using open = await startScriptedMcp(FILES, { cors: {} });
    const page = await servers.openList();
    const form = await beginNew(page);
    await form.getByText('An address', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('Near me');
    await form.getByLabel('Address', { exact: true }).fill(open.url);
    await form.getByRole('radio', { name: /This browser only/ }).check();
    await form.getByText(/without its proxy/).waitFor();
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('It works').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Near me')
      .getByText(/Ready · 3 tools/)
      .waitFor();
    await page.reload();
    await row(page, 'Near me').getByText('this browser only').waitFor();
    await page.getByRole('link', { name: /Near me/ }).click();
    await page.getByText(/3 of 3 on/).waitFor();
    await page.getByRole('button', { name: /^read/ }).click();
    await page.getByText('"type"').first().waitFor();
    expect(await axeFinds(page)).toEqual([]);
    expect(servers.stored()).not.toContain('Near me');
  });

  test('one that lets no browser in says so, and is reached through Toolyard where that is allowed', async () => {
    await using shut = await startScriptedMcp(FILES);
    const { origin } = new URL(shut.url);
    const args = ['--ui-mcp-proxy', '--proxy-allow', origin];
    await using proxied = await stages.set(() => reply.text('Understood.'), { args });
    const page = await proxied.open('/settings/tools');
    const form = await beginNew(page);
    await form.getByText('An address', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('Shut');
    await form.getByLabel('Address', { exact: true }).fill(shut.url);
    await form.getByRole('radio', { name: /This browser only/ }).check();
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('It does not work').waitFor();
    await form
      .getByText(/Access-Control-Allow-Origin/)
      .first()
      .waitFor();
    await form.getByRole('checkbox', { name: 'Reach it through Toolyard' }).check();
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('It works').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Shut')
      .getByText(/Ready · 3 tools/)
      .waitFor();
  });

  test('a chat chooses servers and tools of its own, finds them, and sees what they cost', async () => {
    await servers.writeApproved({
      files: scriptedMcpCommand({ ...FILES, tools: [...(FILES.tools ?? []), ...more(8)] }),
    });
    const page = await stages.now.open('/');
    // Twelve of the server, and Toolyard's own.
    await page.getByRole('button', { name: /^Tools: 13 on/ }).click();
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await panel.getByText(/13 tools, about \d+ tokens in every request/).waitFor();
    await panel.getByRole('searchbox', { name: 'Search servers and tools' }).fill('write');
    await panel.getByRole('switch', { name: 'Use write', exact: true }).click();
    await panel.getByText(/12 tools, about/).waitFor();
    expect(await panel.getByRole('switch', { name: 'Use read', exact: true }).count()).toBe(0);
    expect(await axeFinds(page)).toEqual([]);
    expect((await servers.serverOf('files'))?.tools.every(({ enabled }) => enabled)).toBe(true);
  });

  test('on a phone nothing is wider than the screen, and no English is left in Chinese', async () => {
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
    await row(page, 'broken').getByText('無法讀取', { exact: true }).waitFor();
    expect(await width()).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: '新增伺服器' }).click();
    await page.getByText('位址', { exact: true }).click();
    await page.getByRole('button', { name: '新增標頭' }).click();
    expect(await width()).toBeLessThanOrEqual(360);
    const dialog = page.getByRole('dialog');
    expect(
      (await dialog.innerText()).replaceAll(/Toolyard|Authorization|Bearer|mcp\.json|CORS|HTTP\+SSE|[\d\s:/.]/g, ''),
    ).not.toMatch(/[A-Za-z]{4,}/);
    await page.keyboard.press('Escape');
    await page.goto(`${stages.now.line.url}/settings/tools?server=files`);
    await page.getByRole('button', { name: /^write/ }).click();
    expect(await width()).toBeLessThanOrEqual(360);
    await page.getByRole('tab', { name: '紀錄' }).click();
    await page.getByText('訊息', { exact: true }).click();
    expect(await width()).toBeLessThanOrEqual(360);
  });
});

function more(count: number): NonNullable<McpBehaviour['tools']> {
  return Array.from({ length: count }, (_, at) => ({ name: `more-${String(at)}`, description: 'One more.' }));
}
