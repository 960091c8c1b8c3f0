import type { ToolResult } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { useDocumentedServer } from '../test-fixtures/documented.ts';

const { server, ask, post } = useDocumentedServer();

const parts = [{ type: 'text', text: 'What time is it?' }];
type Started = { run: { id: string; conversationId: string }; message: { id: string } };

describe('starting a run', () => {
  test('without a conversation creates one with agent and title', async () => {
    await post('/api/agents', { id: 'clock', title: 'Clock' });
    const { status, json } = await post('/api/runs', { parts, agentId: 'clock', title: 'Time' });
    expect(status).toBe(201);
    const { run, message } = json as Started;
    expect(message).toMatchObject({ role: 'user', parts });
    const conversation = await ask(`/api/conversations/${run.conversationId}`);
    expect(conversation.json).toMatchObject({ agentId: 'clock', title: 'Time', activeRun: { id: run.id } });
  });

  test('is rejected in a busy or unknown conversation', async () => {
    const { run } = (await post('/api/runs', { parts })).json as Started;
    expect(await post('/api/runs', { parts, conversationId: run.conversationId })).toMatchObject({ status: 409 });
    expect(await post('/api/runs', { parts, conversationId: 'none' })).toMatchObject({ status: 404 });
    expect(await post('/api/runs', { parts: [] })).toMatchObject({ status: 400 });
  });

  test('that fails for any reason leaves no empty conversation', async () => {
    expect(await post('/api/runs', { parts, agentId: 'nobody' })).toMatchObject({ status: 404 });
    server.runs.send = () => Promise.reject(new Error('broken'));
    expect(await post('/api/runs', { parts })).toMatchObject({ status: 500 });
    expect((await ask('/api/conversations')).json).toEqual({ items: [] });
  });
});

test('steps and export of a run match their schemas and are private to the owner', async () => {
  const { run, message } = (await post('/api/runs', { parts })).json as Started;
  const tool = { serverId: 'files', name: 'delete' };
  const call = { type: 'tool_call', callId: 'call', name: 'delete', tool, arguments: { a: 1 } } as const;
  const result: ToolResult = {
    content: [{ type: 'text', text: 'gone | ok' }],
    isError: false,
    outcome: 'done',
  };
  server.runs.emit(
    run.id,
    {
      type: 'run_started',
      conversationId: run.conversationId,
      place: 'server',
      model: 'm',
      message: { ...message, role: 'user', parentId: null, createdAt: 1, parts: [{ type: 'text', text: 'What?' }] },
    },
    { type: 'step_started', instruction: 'call_tool' },
    { type: 'tool_call_ready', messageId: 'a', call },
    { type: 'tool_started', callId: 'call', tool, name: 'delete', editedArguments: { a: 2 } },
    {
      type: 'tool_finished',
      callId: 'call',
      durationMs: 5,
      result,
      message: {
        id: 'call.result',
        parentId: 'a',
        createdAt: 1,
        role: 'tool',
        name: 'delete',
        tool,
        parts: [{ type: 'tool_result', callId: 'call', result }],
      },
    },
  );
  server.runs.finish(run.id, 'done');
  const steps = await ask(`/api/runs/${run.id}/steps`);
  expect(steps.json).toMatchObject({
    run: { id: run.id, status: 'done' },
    items: [{ instruction: 'call_tool', calls: [{ arguments: { a: 1 }, editedArguments: { a: 2 } }] }],
  });
  const file = await ask(`/api/runs/${run.id}/export`);
  expect(file.json).toMatchObject({ format: 'toolyard-run', version: 1, messages: [{ id: message.id }] });
  const text = await server.ask(`/api/runs/${run.id}/export?format=markdown`);
  expect(text.headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(text.text).toContain('delete (arguments edited by the user): done');
  expect(await ask('/api/runs/none/steps')).toMatchObject({ status: 404 });
  expect(await ask('/api/runs/none/export')).toMatchObject({ status: 404 });
});

test('runs are filtered by agent, statuses and start time', async () => {
  await post('/api/agents', { id: 'clock', title: 'Clock' });
  const first = ((await post('/api/runs', { parts, agentId: 'clock' })).json as Started).run;
  const second = ((await post('/api/runs', { parts })).json as Started).run;
  server.runs.finish(second.id, 'failed');
  const found = async (query: string): Promise<string[]> =>
    ((await ask(`/api/runs?${query}`)).json as { items: { id: string }[] }).items.map(({ id }) => id).sort();
  const both = [first.id, second.id].sort();
  expect(await found('status=failed,running')).toEqual(both);
  expect(await found('status=failed')).toEqual([second.id]);
  expect(await found('agent=nobody')).toEqual([]);
  expect(await found('from=1')).toEqual(both);
  expect(await found('until=1')).toEqual([]);
  expect(await ask('/api/runs?status=odd')).toMatchObject({ status: 400 });
  expect(await ask('/api/runs?from=yesterday')).toMatchObject({ status: 400 });
});

test('runs are listed in pages with origin and title, found by words of their conversation, and shown as a tree', async () => {
  type Listed = { items: { id: string; origin: string; title: string }[]; next?: string };
  const ids: string[] = [];
  for (const text of ['apples', 'pears', 'apples and pears'])
    ids.unshift(((await post('/api/runs', { title: text, parts: [{ type: 'text', text }] })).json as Started).run.id);
  const list = async (query: string): Promise<Listed> => (await ask(`/api/runs?${query}`)).json as Listed;
  const first = await list('limit=2');
  expect(first.items).toMatchObject([{ id: ids[0], origin: 'api', title: 'apples and pears' }, { id: ids[1] }]);
  const rest = await list(`limit=2&after=${encodeURIComponent(first.next ?? '')}`);
  expect(rest.items.map(({ id }) => id)).toEqual([ids[2]]);
  expect(rest.next).toBeUndefined();
  expect((await list('q=apples')).items.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  expect((await list('origin=chat')).items).toEqual([]);
  expect((await list('asks=1')).items).toEqual([]);
  expect((await ask('/api/runs?after=odd')).status).toBe(400);
  expect((await ask(`/api/runs/${ids[0]}/tree`)).json).toMatchObject({ items: [{ id: ids[0] }], spent: { calls: 0 } });
  expect((await ask('/api/runs/none/tree')).status).toBe(404);
});
