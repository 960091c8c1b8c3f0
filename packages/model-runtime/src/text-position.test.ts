import { expect, test } from 'vitest';
import { findPosition } from './text-position.ts';

const CALL = '<tool_call>{"name":"f"}</tool_call>';

test.each([
  ['a quoted line', '> ', 'quote'],
  ['a quote in a list', '- > ', 'quote'],
  ['a nested quote', 'Text\n\n> > ', 'quote'],
  ['a line that continues a quote', '> The page says:\n', 'quote'],
  ['quotation marks', 'It says “', 'quote'],
  ['straight quotation marks', 'It says: "', 'quote'],
  ['a quoting tag', '<blockquote>\nIt says ', 'quote'],
  ['a fence', '```xml\n', 'code'],
  ['a fence of tildes', '~~~\nsome text\n', 'code'],
  ['a fence in a list', '1. Like this:\n   ```\n   ', 'code'],
  ['a fence after a closed one', '```\na\n```\nand\n````\n```\n', 'code'],
  ['inline code', 'Write `', 'code'],
  ['inline code with text before it', 'Write `x ', 'code'],
  ['an indented block', 'Like this:\n\n    ', 'code'],
  ['an HTML block', '<pre><code>', 'code'],
] as const)('%s is recognized', (_what, before, position) => {
  expect(findPosition(before, CALL)).toBe(position);
});

test.each([
  ['the beginning', ''],
  ['text', 'Let me look at that.\n\n'],
  ['text in the same line', 'Let me see: '],
  ['a closed fence', '```\nexample\n```\n\nNow:\n'],
  ['closed inline code', 'I use `f`. '],
  ['an ended quote', '> It says so.\n\n'],
  ['a comparison', 'If a > b then\n'],
  ['a closed tag', '<code>x</code>\n'],
  ['closed quotation marks', 'You said "now". '],
])('a call after %s is an ordinary one', (_what, before) => {
  expect(findPosition(before, CALL)).toBeUndefined();
});

test('a passage that is a code block is in code', () => {
  expect(findPosition('', '```json\n{"name":"f"}\n```')).toBe('code');
});
