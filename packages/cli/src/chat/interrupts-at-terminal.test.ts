import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { Served } from '../test-fixtures/served.ts';
import { CTRL_C, TerminalChat } from '../test-fixtures/terminal-chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-asked-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FORM = {
  mode: 'form',
  message: 'Where to?\u001b[31m\u200b',
  requestedSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      nights: { type: 'integer', minimum: 1, default: 2 },
      late: { type: 'boolean' },
      room: { type: 'string', enum: ['s', 'd'], enumNames: ['Single', 'Double'] },
      extras: { type: 'array', items: { type: 'string', enum: ['wifi', 'tea'] } },
      note: { type: 'string' },
    },
    required: ['city', 'room'],
  },
};
const URL_ASKED = { mode: 'url', message: 'Pay', elicitationId: 'e', url: 'https://pay.example.com/x?y=1' };
const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 };

/** A legacy server whose tool `book` sends these requests in order. */
function asking(...asked: [method: string, params: object][]): McpBehaviour {
  const does = asked.map(([method, params]) => ({ do: 'request' as const, method, params: params as never }));
  return { tools: [{ name: 'book', does: [...does, { do: 'tell_answers' }] }] };
}

const calling: ModelScript = ({ body }) => {
  const { messages } = body as { messages: { role: string; content: unknown }[] };
  const last = messages.at(-1);
  if (JSON.stringify(last?.content).includes('Say h')) return reply.text('Sampled');
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'book', arguments: {} }]);
  return reply.text(`It said: ${JSON.stringify(last.content).replaceAll('\\', '')}`);
};

const FORM_ASKED: [string, object] = ['elicitation/create', FORM];

/** Opens a chat in this process, or on a Toolyard server. */
async function open(behaviour: McpBehaviour, at: 'own' | 'server', stack: AsyncDisposableStack): Promise<TerminalChat> {
  const model = stack.use(await startModelServer(calling));
  let args: string[];
  if (at === 'own') {
    const path = join(folder, `${String(Math.random())}.json`);
    writeFileSync(path, JSON.stringify({ mcpServers: { hotel: scriptedMcpCommand(behaviour) } }));
    args = ['--base-url', model.url, '--mcp-config', path];
  } else {
    const served = stack.use(await Served.start({ model: model.url, mcp: { hotel: behaviour } }));
    args = ['--server', served.url, '--model', 'scripted'];
  }
  const chat = stack.use(new TerminalChat(args));
  await chat.see('> ');
  chat.line('Book.');
  await chat.see(/Allow it\?[^:]*: /);
  chat.line('y');
  return chat;
}

describe.each(['own', 'server'] as const)('requests of MCP servers at the terminal (%s)', (at) => {
  it('prompts for a form field by field until each is valid', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = await open(asking(FORM_ASKED), at, stack);
    const shown = await chat.see(/City \(text, required\): /);
    expect(shown).toContain('The server hotel requests information from you');
    expect(shown).toContain('Where to?⟨U+001B⟩[31m⟨U+200B⟩');
    chat.line('T');
    await chat.see('"City" must have at least 2 characters.');
    chat.line('Taipei');
    await chat.see('nights (whole number) [2]: ');
    chat.line('many');
    await chat.see('must be a number');
    chat.line('');
    await chat.see('late (yes or no): ');
    chat.line('y');
    await chat.see('2. Double (d)');
    chat.line('2');
    await chat.see('extras (comma-separated numbers or values from the list): ');
    chat.line('wifi, 2');
    await chat.see('note (text): ');
    chat.line('');
    await chat.see(/Send it\?[^:]*: /);
    chat.line('y');
    const answer = await chat.see(/It said: [^\n]*/);
    expect(answer).toContain('{"city":"Taipei","nights":2,"late":true,"room":"d","extras":["wifi","tea"]}');
  });

  it('declines or cancels a form and sends the choice to the server', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = await open(asking(FORM_ASKED, FORM_ASKED), at, stack);
    await chat.see(/City \(text, required\): /);
    chat.line('/decline');
    await chat.see(/City \(text, required\): /);
    chat.line('/cancel');
    await chat.see('It said: "[{"action":"decline"},{"action":"cancel"}]"');
  });

  it('shows a URL in full with its host and does not open it', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = await open(asking(['elicitation/create', URL_ASKED]), at, stack);
    const shown = await chat.see(/Did you open it\?[^:]*: /);
    expect(shown).toContain('https://pay.example.com/x?y=1');
    expect(shown).toContain('Host: pay.example.com');
    chat.line('y');
    await chat.see('It said: "[{"action":"accept"}]"');
  });

  it('samples the model with the edited prompt', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = await open(asking(['sampling/createMessage', SAMPLING]), at, stack);
    expect(await chat.see(/Allow it\?[^:]*: /)).toContain('user: Say hi');
    chat.line('e');
    await chat.see('(empty keeps it): ');
    chat.line('Say ho');
    await chat.see(/It said: .*Sampled/);
  });

  it('cancels the answer on Ctrl-C at a form', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = await open(asking(FORM_ASKED), at, stack);
    await chat.see(/City \(text, required\): /);
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('> ');
  });
});
