import { expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import type { ConversationView } from '@toolyard/protocol';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

const TURNS = 34;
const CODE = `const long = "${'x'.repeat(400)}END";`;

describePage('printing', ({ set }) => {
  test('prints all messages of a chat, without the sidebar and the composer, in light colours', async () => {
    const { open, server } = await set(() => reply.text(`Noted.\n\n\`\`\`ts\n${CODE}\n\`\`\``));
    const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
    for (let turn = 0; turn < TURNS; turn++) {
      const parts = [{ type: 'text', text: `#${String(turn)}#` }];
      await call(server.url, 'POST', `/api/conversations/${id}/messages`, { parts });
    }
    await eventually(
      async () => {
        const view = await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`);
        return view.queue.length === 0 && view.activeRun === null;
      },
      { what: 'all answers', timeoutMs: 160_000 },
    );
    const page = await open(`/c/${id}`, { colorScheme: 'dark' });
    const chat = chatPage(page);
    await chat.reads(`#${String(TURNS - 1)}#`);
    await page.evaluate('window.print = () => (window.printed = true)');
    await page.keyboard.press('Control+p');
    await eventually(() => page.evaluate<boolean>('window.printed === true'), { what: 'the dialog of the browser' });

    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const text = await page.locator('body').innerText();
    for (let turn = 0; turn < TURNS; turn++) expect(text).toContain(`#${String(turn)}#`);
    expect(text.split('END').length - 1).toBe(TURNS);
    expect(text).not.toMatch(/New chat|Search|Settings/);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: 'screen' });
    await eventually(async () => (await chat.messages.locator('article').count()) < 60, { what: 'the usual rows' });
    expect((await page.pdf()).length).toBeGreaterThan(10_000);

    // Other views are printed in the same way.
    await page.goto(`${new URL(page.url()).origin}/settings/usage`);
    await page.getByRole('table').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('body').innerText()).not.toMatch(/New chat|Permissions/);
    expect(await page.getByRole('table').isVisible()).toBe(true);
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  });
});
