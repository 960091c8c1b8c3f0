import { expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string; content: unknown }[] };

const ARABIC = 'مرحبا: (1)\n\n- أول\n- second\n\n> قال\n\n| أ | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\nLatin.';

describePage('details of the page', (stages) => {
  test('takes what is typed from the start, is laid out as it is written, and shows what waits', async () => {
    const servers = { desk: { behaviour: { tools: [{ name: 'note', does: [{ do: 'echo' as const }] }] } } };
    const stage = await stages.set(
      ({ body }) => {
        const asked = JSON.stringify((body as Messages).messages.at(-1));
        return asked.includes('note') ? reply.toolCalls([{ name: 'note', arguments: {} }]) : reply.text(ARABIC);
      },
      { servers },
    );
    const page = await stage.open();
    const chat = chatPage(page);

    // The composer has the focus, and has it again for a letter typed into nothing.
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('a');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.type('b');
    await eventually(async () => expect(await chat.composer.inputValue()).toBe('ab'));
    // What is typed before it is there is not lost.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/session', async (route) => held.then(() => route.continue()));
    const asked = page.waitForRequest('**/api/session');
    await Promise.all([page.reload({ waitUntil: 'commit' }), asked]);
    await page.keyboard.type('cd');
    release();
    await eventually(async () => expect(await chat.composer.inputValue()).toBe('abcd'));

    // The shortcuts open without a tooltip over them.
    await page.clock.install();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.clock.runFor(1_000);
    expect(await page.locator('[popover=manual]:popover-open').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.clock.resume();

    await chat.send('Hello');
    await chat.reads('Latin.');
    await chat.rests();
    const directions = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.md > *')].map((block) => block.tagName + ' ' + getComputedStyle(block).direction)`,
    );
    expect(directions).toEqual(['P rtl', 'UL rtl', 'BLOCKQUOTE rtl', 'DIV rtl', 'DIV ltr', 'P ltr']);

    // On a phone, too, one sees that something waits, in another chat as well.
    await page.setViewportSize({ width: 390, height: 844 });
    await chat.send('note');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.locator('header').getByRole('link', { name: 'New chat' }).click();
    const inbox = page.locator('header').getByRole('link', { name: 'Inbox: 1 question' });
    await inbox.click();
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
  });
});
