import { expect, test } from 'vitest';
import type { AssistantRow, RowBlock } from '../transcript/rows.ts';
import type { RowList } from '../transcript/transcript.ts';
import { ConversationBlocks, findBlock } from './conversation-blocks.ts';

function answer(key: string, text: string, more: Partial<AssistantRow> = {}, open = false): AssistantRow {
  const blocks: RowBlock[] = [{ type: 'text', text, open }];
  return {
    ...{ kind: 'assistant', key, messageId: key, parentId: null, runId: 'r', model: '', createdAt: 0, blocks },
    ...{
      status: 'finished',
      finishReason: 'stop',
      usage: null,
      cost: null,
      alternatives: [],
      head: true,
      answer: null,
    },
    ...more,
  };
}
function createRows(...rows: AssistantRow[]): RowList {
  return { length: rows.length, at: (index) => rows[index], settled: rows };
}
const code = (text: string): string => `\`\`\`html\n${text}\n\`\`\``;

test('finds code blocks in answers, also in lists and quotes, but not in abandoned ones', () => {
  const blocks = new ConversationBlocks().read(
    createRows(
      answer(
        'a',
        `Text\n\n${code('1')}\n\n- item\n\n  ${code('2').replaceAll('\n', '\n  ')}\n\n> \`\`\`html\n> 3\n> \`\`\``,
      ),
      answer('b', code('4'), { status: 'abandoned' }),
      answer('c', 'No code.'),
    ),
  );
  expect(blocks.map(({ key, block }) => [key, block.text])).toEqual([
    ['a:0:0', '1'],
    ['a:0:1', '2'],
    ['a:0:2', '3'],
  ]);
});

test('a block keeps its key while it grows, and is open until it ends', () => {
  const reader = new ConversationBlocks();
  const [growing] = reader.read(createRows(answer('a', '```html\n<p>', {}, true)));
  const [grown] = reader.read(createRows(answer('a', '```html\n<p>one</p>\n```\n\nDone', {}, true)));
  const [cut] = reader.read(createRows(answer('a', '```html\n<p>one', {}, false)));
  expect([growing, grown, cut].map((one) => [one?.key, one?.open])).toEqual([
    ['a:0:0', true],
    ['a:0:0', false],
    ['a:0:0', false],
  ]);
});

test('the block that was pressed is found from its row on, and while it grows by its beginning', () => {
  const blocks = new ConversationBlocks().read(
    createRows(answer('a', code('same')), answer('b', code('same')), answer('c', '```html\nlong text', {}, true)),
  );
  const shown = { type: 'code', language: 'html', info: '', text: 'same', open: false } as const;
  expect(findBlock(blocks, shown, 'b')?.key).toBe('b:0:0');
  expect(findBlock(blocks, shown, null)?.key).toBe('a:0:0');
  expect(findBlock(blocks, { ...shown, text: 'long', open: true }, 'c')?.key).toBe('c:0:0');
  expect(findBlock(blocks, { ...shown, text: 'long' }, 'c')).toBeNull();
});

test('reads on in several calls, each of which parses at least one text', () => {
  const reader = new ConversationBlocks();
  const rows = createRows(...['a', 'b', 'c'].map((key) => answer(key, code(key))));
  const calls: unknown[] = [];
  do calls.push(reader.read(rows, () => true));
  while (calls.at(-1) === null);
  expect(calls).toHaveLength(4);
  expect(calls.at(-1)).toHaveLength(3);
});
