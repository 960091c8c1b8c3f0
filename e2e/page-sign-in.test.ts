import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply, startAuthorizationServer, startScriptedMcp } from '@toolyard/testing';
import { closeBrowser, NO_BROWSER } from './support/browser.ts';
import { chatPage } from './support/chat-page.ts';
import { row, serversPage } from './support/servers-page.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

/** Reads the mail, and then says what came of it. */
const readsMail: ModelScript = ({ body }) => {
  const last = (body as { messages: { role: string; content: unknown }[] }).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'read_mail', arguments: {} }]);
  return reply.text(`It said: ${JSON.stringify(last.content)}`);
};

describe.skipIf(NO_BROWSER !== null)(`signing in${NO_BROWSER === null ? '' : ` (${NO_BROWSER})`}`, () => {
  let stage: Stage | undefined;
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage?.photograph(task.name);
    const complaints = stage?.complaints;
    await stage?.[Symbol.asyncDispose]();
    stage = undefined;
    expect(complaints ?? []).toEqual([]);
  });
  afterAll(closeBrowser);

  test('in the middle of a run: the card leads to the sign-in, and the call is made once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-mail-'));
    const countFile = join(folder, 'count');
    await using authorization = await startAuthorizationServer({ expiresIn: 3_600 });
    await using mail = await startScriptedMcp(
      { tools: [{ name: 'read_mail', does: [{ do: 'count' }] }] },
      { sessions: false, protection: authorization.protect(), countFile },
    );
    stage = await setStage(readsMail);
    const servers = serversPage(stage);
    servers.write({ mail: { url: mail.url } });
    const page = await servers.openList();
    await row(page, 'mail').getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'mail').getByText(/Ready/).waitFor();

    await page.goto(stage.line.url);
    const chat = chatPage(page);
    await chat.send('Any mail?');
    const card = page.locator('[data-tool-card]');
    await card.getByRole('button', { name: 'Allow once' }).waitFor();
    authorization.revoke();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.getByText('asks you to sign in').waitFor();
    const { violations } = await new AxeBuilder({ page }).include('[data-tool-card]').analyze();
    expect(violations).toEqual([]);
    expect(existsSync(countFile)).toBe(false);

    const opened = page.context().waitForEvent('page');
    await card.getByRole('button', { name: 'Sign in…' }).click();
    await opened;
    await chat.reads(/It said: "1"/);
    expect(statSync(countFile).size).toBe(1);
    expect(authorization.grants('authorization_code')).toHaveLength(2);
    rmSync(folder, { recursive: true });
  });
});
