import { expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const CODE = numbers(1_200)
  .map((line) => `const value${String(line)} = ${String(line)}; // line`)
  .join('\n');
const ROWS = 900;
const TABLE = [
  '| Name | Number |',
  '|---|---:|',
  ...numbers(ROWS).map((row) => `| row ${String(row)} | ${String(row)} |`),
];
const ITEMS = 700;
const LIST = numbers(ITEMS).map((item) => `${String(item + 1)}. item **${String(item)}**`);
const FORMULAS = 300;
const FOOTNOTES = 300;
const ANSWER = `A long block:\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\n${TABLE.join('\n')}\n\n${LIST.join('\n')}\n\nThe end.`;

describePage('blocks of thousands of lines and rows', (stages) => {
  test('are complete, can be selected, copied, searched and sorted', async () => {
    const { open } = await stages.set(() => reply.text(ANSWER, { pieces: 20_000 }));
    const page = await open('/');
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads('The end.');
    await chat.waitUntilIdle();
    await chat.path();
    const table = page.getByRole('table');
    const list = page.locator('[role=log] ol');
    async function isComplete(): Promise<void> {
      await page.locator('[role=log] [data-late]').first().waitFor({ state: 'detached' });
      expect(await table.getByRole('row').count()).toBe(ROWS + 1);
      expect(await table.locator('td').count()).toBe(2 * ROWS);
      // A list has no other children than its items.
      expect(await list.locator(':scope > li').count()).toBe(ITEMS);
      expect(await list.locator(':scope > *').count()).toBe(ITEMS);
    }
    await isComplete();
    const widths = () =>
      page.evaluate<number[]>(`[...document.querySelectorAll('[role=log] th')].map((cell) => cell.clientWidth)`);
    const grown = await widths();
    // Stored answers are rendered in slices.
    await page.reload();
    await chat.reads('The end.');
    await isComplete();
    // Outside of the viewport the first read may precede its layout.
    await eventually(async () => JSON.stringify(await widths()) === JSON.stringify(grown));

    const selected = await page.evaluate<string>(`(() => {
      getSelection().selectAllChildren(document.querySelector('[role=log] pre'));
      return getSelection().toString();
    })()`);
    expect(selected).toBe(CODE);

    const first = table.locator('td').first();
    const sort = table.getByRole('button', { name: 'Sort by Number' });
    await sort.press('Enter');
    await sort.press('Enter');
    await eventually(async () => (await first.innerText()) === `row ${String(ROWS - 1)}`);
    await page.locator('[role=log] [data-late]').first().waitFor({ state: 'detached' });
    // Not its inner text: it is not laid out.
    const last = table.locator('td').nth(2 * ROWS - 2);
    expect((await last.textContent())?.trim()).toBe('row 0');

    for (const query of ['value1187', 'row 777']) {
      await page.keyboard.press('Control+f');
      const bar = page.getByRole('search', { name: 'Find in this chat' });
      await bar.getByRole('searchbox').fill(query);
      await bar.getByText('1 of 1', { exact: true }).waitFor();
      await eventually(() =>
        page.evaluate<boolean>(`(() => {
          const [range] = CSS.highlights.get('found-current') ?? [];
          const box = range?.getBoundingClientRect();
          return box !== undefined && range.toString() === ${JSON.stringify(query)} && box.top > 0 && box.bottom < innerHeight;
        })()`),
      );
      await page.keyboard.press('Escape');
    }
  });

  test('of any kind are complete, and are copied and printed as a whole', async () => {
    const cjk = '沒有空格的段落，'.repeat(8_000);
    const words = 'word '.repeat(12_000).trim();
    const line = `"${'0123456789'.repeat(6_000)}"`;
    const notes = numbers(FOOTNOTES).map((note) => `[^n${String(note)}]: Note ${String(note)}.`);
    const texts = [
      cjk,
      words,
      `\`\`\`json\n${line}\n\`\`\``,
      numbers(FORMULAS)
        .map((index) => `$x_{${String(index)}}$`)
        .join(' '),
      numbers(FOOTNOTES)
        .map((note) => `See[^n${String(note)}].`)
        .join(' '),
      notes.join('\n'),
      `${'> - '.repeat(40)}nested`,
      'The end.',
    ];
    const { open } = await stages.set(() => reply.text(texts.join('\n\n'), { pieces: 20_000 }));
    const page = await open('/');
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads('The end.');
    await chat.waitUntilIdle();
    await chat.path();

    const log = page.locator('[role=log]');
    async function isComplete(): Promise<void> {
      await log.locator('[data-late]').first().waitFor({ state: 'detached' });
      expect(await log.locator('.katex').count()).toBe(FORMULAS);
      expect(await log.locator('[role=doc-noteref]').count()).toBe(FOOTNOTES);
      expect(await log.locator('[role=doc-endnotes] li').count()).toBe(FOOTNOTES);
      expect(await log.getByText('nested').count()).toBe(1);
      const selected = (selector: string) =>
        page.evaluate<string>(`(() => {
          const nodes = [...document.querySelectorAll('[role=log] ${selector}')];
          getSelection().selectAllChildren(nodes.sort((a, b) => b.textContent.length - a.textContent.length)[0]);
          return getSelection().toString();
        })()`);
      expect(await selected('.md p')).toBe(cjk);
      expect(await selected('pre')).toBe(line);
    }
    await isComplete();
    await page.reload();
    await chat.reads('The end.');
    await isComplete();

    // What is late is rendered before the browser lays out the pages.
    await page.reload();
    await chat.reads('The end.');
    const whenPrinted = await page.evaluate<number>(`(() => {
      dispatchEvent(new Event('beforeprint'));
      return document.querySelectorAll('[role=log] [data-late]').length;
    })()`);
    expect(whenPrinted).toBe(0);
  });

  test('of a user are complete and copied as they are', async () => {
    const { open } = await stages.set(() => reply.text('Short.'));
    const page = await open('/');
    const chat = chatPage(page);
    const question = [...numbers(1_000).map((number) => `Line ${String(number)}, as it is`), 'x'.repeat(30_000)].join(
      '\n',
    );
    await chat.send(question);
    await chat.reads('Short.');
    await page.locator('[role=log] [data-late]').first().waitFor({ state: 'detached' });
    const selected = await page.evaluate<string>(`(() => {
      getSelection().selectAllChildren(document.querySelector('[role=log] [data-find=text]'));
      return getSelection().toString();
    })()`);
    expect(selected).toBe(question);
  });
});
