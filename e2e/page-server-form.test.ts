import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { needs, reply, SANDBOX, scriptedMcpCommand, startScriptedMcp } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { describePage } from './support/page-stage.ts';
import { openNewServerForm, FILES, row, serversPage } from './support/servers-page.ts';

const SECRET = 'canary-secret-0123456789';

type ServersPage = ReturnType<typeof serversPage>;

describePage('the form of an MCP server', (stages) => {
  const set = async (): Promise<ServersPage> =>
    serversPage(await stages.set(() => reply.text('Understood.'), { date: true }));

  test('fills fields from JSON, validates, tests and saves them; keeps them if saving fails; adds several; never shows a stored secret', async () => {
    const servers = await set();
    const page = await servers.openList();
    await dropJson(page);
    await addProgram(page, servers);
    await failToSave(page, servers);
    await pasteSeveral(page);
    await using server = await startScriptedMcp(FILES, { requireToken: SECRET });
    await changeWithSecret(page, servers, server.url);
  });

  async function paste(page: Page, text: string): Promise<Locator> {
    const form = await openNewServerForm(page);
    await form.getByRole('button', { name: 'Paste a configuration' }).click();
    await form.getByLabel('Configuration').fill(text);
    await form.getByRole('button', { name: 'Read' }).click();
    return form;
  }

  /** JSON pasted into one field fills in all. */
  async function dropJson(page: Page): Promise<void> {
    const form = await openNewServerForm(page);
    await form.getByLabel('Name', { exact: true }).focus();
    const text = '"web": { "url": "https://mcp.example.com/mcp", "headers": { "X-Key": "1" } }';
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);
    })()`);
    await form.getByRole('button', { name: 'Read' }).click();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('web');
    expect(await form.getByLabel('URL', { exact: true }).inputValue()).toBe('https://mcp.example.com/mcp');
    expect(await form.getByLabel('X-Key: Value').inputValue()).toBe('1');
    // The name of a second snippet replaces that of the first; a typed one stays.
    for (const [typed, name] of [
      [undefined, 'notion'],
      ['mine', 'mine'],
    ] as const) {
      if (typed !== undefined) await form.getByLabel('Name', { exact: true }).fill(typed);
      await form.getByRole('button', { name: 'Paste a configuration' }).click();
      await form.getByLabel('Configuration').fill('claude mcp add --transport http notion https://mcp.notion.com/mcp');
      await form.getByRole('button', { name: 'Read' }).click();
      expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    }
    await form.getByRole('button', { name: 'Cancel' }).click();
  }

  async function addProgram(page: Page, servers: ServersPage): Promise<void> {
    const form = await openNewServerForm(page);
    await form.getByText(/Runs on the same machine as Toolyard/).waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a name.').waitFor();
    await form.getByText('Enter a command.').waitFor();
    await form.locator(':focus[aria-invalid=true]').waitFor();
    expect(await form.locator(':focus').getAttribute('maxlength')).toBe('100');
    await form.getByLabel('Name', { exact: true }).fill('date');
    await form.getByText('Another server has this name.').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('mine');
    const { command, args } = scriptedMcpCommand(FILES);
    await form.getByLabel('Command', { exact: true }).fill('/no/such/program --at all');
    await form.getByRole('button', { name: 'Split into command and arguments' }).click();
    expect(await form.getByLabel('Argument 2', { exact: true }).inputValue()).toBe('all');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test failed').waitFor();

    // A sandbox contains none of this repository, where the script is.
    await form.getByLabel('Run in a sandbox').uncheck();
    await form.getByText(/runs without a sandbox/).waitFor();
    await form.getByLabel('Command', { exact: true }).fill(command);
    await form.getByRole('button', { name: 'Remove Argument 2' }).click();
    await form.getByLabel('Argument 1', { exact: true }).fill(args[0] ?? '');
    for (const argument of args.slice(1)) {
      await page.keyboard.press('Enter');
      await page.keyboard.insertText(argument);
    }
    await form.getByText('Limits').click();
    await form.getByLabel('Concurrent calls').fill('0');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a whole number from 1 to 1000, or nothing.').waitFor();
    await form.getByLabel('Concurrent calls').fill('2');
    await form.getByLabel('One connection for all chats').check();
    await form.getByRole('button', { name: 'Add variable' }).click();
    await page.keyboard.insertText('API_TOKEN');
    const value = form.getByLabel('API_TOKEN: Value');
    expect(await value.getAttribute('type')).toBe('password');
    await value.fill('<YOUR_KEY>');
    expect(await value.getAttribute('type')).toBe('text');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('Replace this placeholder with your own value.').waitFor();
    await form.getByRole('button', { name: 'Save anyway' }).waitFor();
    await value.fill(SECRET);
    expect(await value.getAttribute('type')).toBe('password');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test passed').waitFor();
    await form.getByText(/files 1\.4\.0 · .*2025-[0-9-]+ \(initialize\)/).waitFor();
    await form.getByText(/3 tools · about \d+ tokens/).waitFor();
    await form
      .getByText(/The tool has no name/)
      .first()
      .waitFor();
    expect(await axeFinds(page)).toEqual([]);
    expect(servers.stored()).not.toContain('mine');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await row(page, 'mine')
      .getByText(/Ready 3 tools/)
      .waitFor();
    expect(servers.stored()).toMatch(/"mine"[^]*"processes": "one",\s+"maxConcurrentCalls": 2/);
    expect(JSON.stringify(await servers.serverOf('mine'))).not.toContain(SECRET);
  }

  async function failToSave(page: Page, servers: ServersPage): Promise<void> {
    const form = await openNewServerForm(page);
    await form.getByLabel('Name', { exact: true }).fill('later');
    await form.getByLabel('Command', { exact: true }).fill('node');
    const valid = servers.stored();
    writeFileSync(servers.file, '{ "mcpServers": { "broken": ');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Not saved').waitFor();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('later');
    expect(await form.getByLabel('Command', { exact: true }).inputValue()).toBe('node');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('mcp.json cannot be read').waitFor();
    expect(servers.stored()).toBe('{ "mcpServers": { "broken": ');
    writeFileSync(servers.file, valid);
    await page.getByText('mcp.json cannot be read').waitFor({ state: 'detached' });
  }

  /** An invalid entry does not affect the others. */
  async function pasteSeveral(page: Page): Promise<void> {
    const form = await paste(page, '{\n  "mcpServers": {\n    "a" {}\n');
    await form.getByText('Invalid JSON at line 3.').waitFor();
    await form.getByLabel('Configuration').fill('nothing\nat all');
    await form.getByRole('button', { name: 'Read' }).click();
    await form.getByText(/No server found/).waitFor();
    await form.getByLabel('Configuration').fill(
      JSON.stringify({
        mcpServers: {
          one: scriptedMcpCommand(FILES),
          date: { command: 'other' },
          'a/b': { command: 'x' },
          two: { url: 'https://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer ${input:key}' }, disabled: true },
          three: { url: 'https://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer <YOUR_KEY>' } },
          bad: {},
        },
      }),
    );
    await form.getByRole('button', { name: 'Read' }).click();
    await form.getByText('6 servers found').waitFor();
    await row(page, 'date').getByText('A server with this name already exists.').waitFor();
    await row(page, 'bad')
      .getByText(/neither “command”/)
      .waitFor();
    await row(page, 'two').getByText('Replace ${input:key} with your own value.').waitFor();
    // The values of an enabled server are required.
    await form.getByRole('button', { name: 'Add 4 servers' }).click();
    await form.getByText('Enter a value, or leave this server out.').waitFor();
    await row(page, 'three').getByLabel('Replace <YOUR_KEY> with your own value.').fill('k3');
    await form.getByRole('button', { name: 'Add 4 servers' }).click();
    // An error of the API is shown at its entry; the other servers are added.
    await form.getByRole('listitem').filter({ hasText: 'a/b' }).getByRole('alert').waitFor();
    await expect.poll(() => form.getByRole('img', { name: 'added' }).count()).toBe(3);
    await page.keyboard.press('Escape');
    await row(page, 'two')
      .getByText(/uses \$\{input:key\}/)
      .waitFor();
  }

  /** A stored secret is kept or replaced, never shown, and never sent to another host. */
  async function changeWithSecret(page: Page, servers: ServersPage, url: string): Promise<void> {
    await servers.writeApproved({ web: { url: url, headers: { Authorization: `Bearer ${SECRET}` }, timeout: 60 } });
    await row(page, 'web')
      .getByText(/Ready 3 tools/)
      .waitFor();
    await row(page, 'web').getByRole('button', { name: 'Actions for web' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('dialog');
    const value = form.getByLabel('Authorization: Value');
    expect(await value.inputValue()).toBe('');
    expect(await value.getAttribute('placeholder')).toBe('stored; type to replace');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Test passed').waitFor();

    await form.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:1/mcp');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/Enter the value again/).waitFor();
    await form.getByLabel('URL', { exact: true }).fill(url);
    await form.getByText('Limits').click();
    await form.getByLabel(/Request timeout/).fill('soon');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/from 1 to 86400/).waitFor();
    await form.getByLabel(/Request timeout/).fill('90');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(servers.stored()).toContain(SECRET);
    expect(servers.stored()).toContain('// mine');
    expect(await page.content()).not.toContain(SECRET);
    await row(page, 'web')
      .getByText(/Ready 3 tools/)
      .waitFor();
  }

  test('a sandbox hides the script of a new server; one click allows reading it', needs(SANDBOX), async () => {
    const servers = await set();
    const page = await servers.openList();
    const form = await paste(page, JSON.stringify({ mcpServers: { mine: scriptedMcpCommand(FILES) } }));
    // The form proposes the folder at once; it is allowed later here.
    await form.getByText(/The sandbox will hide \/.* from this server\./).waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'mine').getByText('Failed').waitFor();
    await row(page, 'mine')
      .getByText(/^The sandbox hides \/.* from the server "mine"\.$/)
      .waitFor();
    await row(page, 'mine').getByRole('button', { name: 'Allow reading it' }).waitFor();
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await page.getByRole('button', { name: /^Tools/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow reading it' }).waitFor();
    await page.goBack();
    await row(page, 'mine').getByRole('link').click();
    await page.getByText('Hidden or blocked by the sandbox:').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow read' }).first().click();
    await expect.poll(() => servers.stored()).toContain('"read"');
    await expect.poll(async () => (await servers.serverOf('mine'))?.state).toBe('ready');
  });
});
