import { expect, test } from 'vitest';
import { readTool } from './read-tool.ts';

test.each([[{ type: null, properties: null }], [{ properties: {} }], [{ type: 'object' }]])(
  'the schema %j is that of an object',
  (inputSchema) => {
    expect(readTool({ name: 'f', inputSchema }, 0)).toMatchObject({ item: { inputSchema: { type: 'object' } } });
  },
);

test.each([
  ['re\ud800d', 're⟨U+D800⟩d'],
  ['re\0d', 're⟨U+0000⟩d'],
])('a tool whose name cannot be stored exactly is skipped: %j', (name, shown) => {
  expect(readTool({ name, inputSchema: {} }, 0)).toMatchObject({ skipped: { name: shown } });
});

test('a tool whose schema is of another type is skipped with the reason', () => {
  expect(readTool({ name: 'f', inputSchema: { type: 'string' } }, 0)).toMatchObject({ skipped: { name: 'f' } });
});
