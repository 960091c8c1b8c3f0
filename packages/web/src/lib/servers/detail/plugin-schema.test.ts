import type { McpPlugin } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { formSchema } from './plugin-schema.ts';

test('stored secrets need no value, and their fields say so', () => {
  const plugin: McpPlugin = {
    title: 'Shop',
    kind: 'default',
    source: 'manifest',
    notes: [],
    schema: {
      type: 'object',
      properties: { key: { type: 'string', description: 'A key.' }, user: { type: 'string' } },
      required: ['key', 'user'],
    },
    values: {},
    secrets: ['key'],
  };
  expect(formSchema(plugin, 'Stored.')).toEqual({
    type: 'object',
    properties: { key: { type: 'string', description: 'A key. Stored.' }, user: { type: 'string' } },
    required: ['user'],
  });
});
