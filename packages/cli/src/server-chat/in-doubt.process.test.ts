import { expect, it } from 'vitest';
import type { Message, MessagePage, Page, RunRecord } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply, startModelServer, startPluginServer } from '@toolyard/testing';
import { ServedProcess } from '../test-fixtures/served-process.ts';
import { TerminalChat } from '../test-fixtures/terminal-chat.ts';

const HANG = { odd: { tools: [{ name: 'hang', does: [{ do: 'never' as const }] }] } };

/** Calls the tool for each message, and answers once it has a result. */
const calling: ModelScript = ({ body }) => {
  const { messages } = body as { messages: { role: string; content: unknown }[] };
  const last = messages.at(-1);
  if (last?.role === 'tool') return reply.text('Answered.');
  const isOfPlugin = JSON.stringify(last?.content).includes('shop');
  return reply.toolCalls([{ name: isOfPlugin ? 'search' : 'hang', arguments: {} }]);
};

/** A chat in a conversation of its own, with a call in progress. */
async function callInProgress(served: ServedProcess, id: string, message = 'One'): Promise<TerminalChat> {
  await served.post('/api/conversations', { id });
  const chat = new TerminalChat([
    '--server',
    served.url,
    '--conversation',
    id,
    '--model',
    'scripted',
    '--reconnect-timeout',
    '300',
  ]);
  await chat.see('> ');
  chat.line(message);
  await chat.see(/Allow it\?[^:]*: /);
  chat.line('y');
  await eventually(async () => (await eventTypes(served, id)).includes('tool_started'), { what: `the call of ${id}` });
  return chat;
}

it('asks for the outcome of calls in progress when the server was killed, and accepts "r", "f" and "t"', async () => {
  await using plugin = await startPluginServer({
    '/manifest.json': { body: { identifier: 'shop', api: [{ name: 'search', url: '/search' }] } },
    '/search': 'hang',
  });
  await using model = await startModelServer(calling);
  await using served = await ServedProcess.start({ model: model.url, mcp: HANG });
  const transport = { type: 'plugin', url: `${plugin.url}/manifest.json` };
  await served.post('/api/mcp/servers', { id: 'shop', transport });
  await using ofPlugin = await callInProgress(served, 'plugin', 'Ask the shop');
  await using repeated = await callInProgress(served, 'repeated');
  await using failed = await callInProgress(served, 'failed');
  await using resultChat = await callInProgress(served, 'result');
  await served.end('SIGKILL');
  for (const chat of [ofPlugin, repeated, failed, resultChat]) await chat.see('Reconnecting');
  await served.start();
  for (const chat of [repeated, failed, resultChat]) {
    await chat.see('Reconnected');
    await chat.see(/odd\/hang was called with[^]*outcome is unknown[^]*What should happen\?[^:]*: /);
  }
  await ofPlugin.see(/shop\/search was called with[^]*outcome is unknown[^]*What should happen\?[^:]*: /);
  // It is not called again by itself.
  expect(plugin.asked.filter(({ url }) => url === '/search')).toHaveLength(1);
  ofPlugin.line('f');
  await ofPlugin.see('Answered.');

  failed.line('f');
  await failed.see('Answered.');
  expect((await resultIn(served, 'failed'))?.parts[0].result.isError).toBe(true);

  resultChat.line('t');
  await resultChat.see('Result: ');
  resultChat.line('It wrote nine lines.');
  await resultChat.see('Answered.');
  expect(JSON.stringify(await resultIn(served, 'result'))).toContain('It wrote nine lines.');

  repeated.line('r');
  // The repeated call hangs, too.
  await eventually(
    async () => (await eventTypes(served, 'repeated')).filter((type) => type === 'tool_started').length === 2,
    { what: 'the second call' },
  );
});

async function resultIn(served: ServedProcess, id: string): Promise<(Message & { role: 'tool' }) | undefined> {
  const { messages } = await served.get<MessagePage>(`/api/conversations/${id}/messages`);
  return messages.find((message): message is Message & { role: 'tool' } => message.role === 'tool');
}

async function eventTypes(served: ServedProcess, conversation: string): Promise<string[]> {
  const [run] = (await served.get<Page<RunRecord>>(`/api/runs?conversation=${conversation}`)).items;
  if (!run) return [];
  const control = new AbortController();
  const response = await fetch(`${served.url}/api/runs/${run.id}/events`, { signal: control.signal });
  const decoder = new TextDecoder();
  let text = '';
  // The server sends stored events at once; the stream then stays open.
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(`id: ${run.lastSeq}\n`)) break;
  }
  control.abort();
  return [...text.matchAll(/"type":"([a-z_]+)"/g)].map(([, type]) => type ?? '');
}
