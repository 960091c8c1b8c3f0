import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FormInterrupt, McpServerList, RunRecord, StoredInterrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelServer } from '@toolyard/testing';
import { eventually, reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../start-server.ts';
import { ask as askOf, startWholeServer } from './test-fixtures/whole-server.ts';

const CHATS = ['0192f0c1-0000-7000-8000-00000000000a', '0192f0c1-0000-7000-8000-00000000000b'] as const;
let folder: string;
let model: ModelServer;
let server: RunningServer;

/** One of two calls sends a request without identifying its call. */
const behaviour = (file: string): McpBehaviour => ({
  tools: [
    {
      name: 'ask',
      does: [
        { do: 'barrier', calls: 2 },
        {
          do: 'request',
          method: 'elicitation/create',
          params: { message: 'Which?', requestedSchema: { type: 'object', properties: { city: { type: 'string' } } } },
        },
        { do: 'tell_answers' },
      ],
    },
    {
      name: 'wait',
      does: [
        { do: 'barrier', calls: 2 },
        { do: 'wait_for_file', file },
      ],
    },
  ],
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-two-chats-'));
  writeFileSync(
    join(folder, 'mcp.json'),
    JSON.stringify({ mcpServers: { desk: scriptedMcpCommand(behaviour(join(folder, 'go-on'))) } }),
  );
  model = await startModelServer(({ body }) => {
    const { messages } = body as { messages: { role: string; content: unknown }[] };
    const last = messages.at(-1);
    if (last?.role === 'tool') return reply.text(JSON.stringify(last.content));
    return reply.toolCalls([{ name: JSON.stringify(last).includes('Wait') ? 'wait' : 'ask', arguments: {} }]);
  });
  server = await startWholeServer({ dataDir: folder, env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test' } });
});
afterEach(async () => {
  await server.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

const ask = <T>(method: string, path: string, body?: unknown): Promise<T> => askOf(server, method, path, body);
const readStatus = async (runId: string): Promise<string> => (await ask<RunRecord>('GET', `/api/runs/${runId}`)).status;
const openInterrupts = async (): Promise<StoredInterrupt[]> =>
  (await ask<{ items: StoredInterrupt[] }>('GET', '/api/interrupts?status=open')).items;

async function say(id: string, text: string): Promise<string> {
  await ask('PUT', '/api/mcp/unsandboxed-servers', { servers: ['desk'] });
  await ask('POST', '/api/conversations', { id, configuration: { intervention: 'auto' } });
  const parts = [{ type: 'text', text }];
  return (await ask<{ run: RunRecord }>('POST', `/api/conversations/${id}/messages`, { parts })).run.id;
}

test('a server request that may belong to two chats is open in both, and can be answered in the chat that did not call', async () => {
  await eventually(async () => (await ask<McpServerList>('GET', '/api/mcp/servers')).items[0]?.state === 'ready');
  const [asking, waiting] = [await say(CHATS[0], 'Ask.'), await say(CHATS[1], 'Wait.')];
  const open = await eventually(async () => {
    const items = await openInterrupts();
    return items.length === 2 && items;
  });
  expect(open.map(({ runId }) => runId).sort()).toEqual([asking, waiting].sort());
  for (const { interrupt } of open) {
    expect((interrupt as FormInterrupt).mayBelongTo?.toSorted()).toEqual([...CHATS]);
  }
  expect((await ask<McpServerList>('GET', '/api/mcp/servers')).items[0]?.interactive).toBe(true);
  const elsewhere = open.find(({ runId }) => runId === waiting);
  const answer = { decision: 'accept', content: { city: 'Taipei' } };
  await ask('POST', `/api/interrupts/${encodeURIComponent(elsewhere?.id ?? '')}/answer`, { answer });
  await eventually(async () => (await readStatus(asking)) === 'done');
  expect(await openInterrupts()).toEqual([]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Taipei');
  expect(await readStatus(waiting)).toBe('running');
  writeFileSync(join(folder, 'go-on'), '');
  await eventually(async () => (await readStatus(waiting)) === 'done');
});
