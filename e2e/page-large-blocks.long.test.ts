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
const ANSWER = `A long block:\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\n${TABLE.join('\n')}\n\n${LIST.join('\n')}\n\nThe end.`;

describePage('blocks of thousands of lines and rows', (stages) => {
  test('are complete, can be selected, copied, searched and sorted', async () => {
    const { open } = await stages.set(() => reply.text(ANSWER, { pieces: 20_000 }));
    const page = await open('/');
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads('The end.');
    await chat.rests();
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
    expect(await widths()).toEqual(grown);

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
});
