import type { ServeInMemory } from '@toolyard/mcp-host';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { serveFunctions } from './serve-functions.ts';
import { tool } from './tool.ts';

type Transport = Parameters<ServeInMemory>[0];
type Message = Parameters<Transport['send']>[0];

/** Sends one request to a server of these tools. */
async function ask(
  tools: Parameters<typeof serveFunctions>[0]['tools'],
  method: string,
  params: JsonObject,
): Promise<Message> {
  const answered = Promise.withResolvers<Message>();
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => Promise.resolve(answered.resolve(message)),
  };
  await serveFunctions({ id: 'desk', title: 'Desk', tools })(transport);
  transport.onmessage?.({ jsonrpc: '2.0', id: 1, method, params });
  return answered.promise;
}

const CONTENT: ToolResult['content'] = [
  { type: 'text', text: 'Two files.' },
  { type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } },
  { type: 'resource', uri: 'file:///a' },
];

const list = tool({
  name: 'list',
  title: 'List',
  description: 'Lists files.',
  inputSchema: { type: 'object' },
  annotations: { readOnly: true },
  execute: () =>
    Promise.resolve({ content: CONTENT, structured: { files: 2 }, isError: false, outcome: 'done' as const }),
});
const asks = tool({
  name: 'asks',
  description: 'Asks the user.',
  inputSchema: { type: 'object' },
  execute: async (_args, context) => {
    await context.ask({ kind: 'form', message: 'Which?', schema: { type: 'object', properties: {} } });
    return 'answered';
  },
});

test("lists function tools with their annotations in MCP's format", async () => {
  expect(await ask([list], 'tools/list', {})).toMatchObject({
    result: { tools: [{ name: 'list', title: 'List', annotations: { readOnlyHint: true } }] },
  });
});

test("returns content in MCP's format", async () => {
  expect(await ask([list], 'tools/call', { name: 'list', arguments: {} })).toMatchObject({
    result: {
      content: [
        { type: 'text', text: 'Two files.' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        { type: 'resource_link', uri: 'file:///a', name: 'file:///a' },
      ],
      structuredContent: { files: 2 },
      isError: false,
    },
  });
});

test('fails a call that asks the user, since outside a run no user can be asked', async () => {
  expect(await ask([asks], 'tools/call', { name: 'asks' })).toMatchObject({ result: { isError: true } });
});

test('rejects an unknown tool and an unknown method', async () => {
  expect(await ask([list], 'tools/call', { name: 'none' })).toMatchObject({ error: { code: -32_602 } });
  expect(await ask([list], 'prompts/list', {})).toMatchObject({ error: { code: -32_601 } });
});
