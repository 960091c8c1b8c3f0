import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '@toolyard/protocol';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { RunFailed } from '../agent-run.ts';
import { createAgent, nodePlatform } from './index.ts';
import { agentOn, DATE_SERVER, readEvents, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

const TOKYO = { name: 'get-date', arguments: { timezone: 'Asia/Tokyo', format: 'iso' } };
const asText = (call: object): string => `<tool_call>${JSON.stringify(call)}</tool_call>`;

describe('an answer with tool calls', () => {
  it('keeps the text beside native calls, and makes the calls', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ id: 'call_1', ...TOKYO }], { text: 'Let me look.' }),
      reply.text('Late.'),
    ]);
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const { text, calls } = await agent.run('Tokyo?').result;
    expect({ text, made: calls.length }).toEqual({ text: 'Late.', made: 1 });
    expect(agent.messages[1]).toMatchObject({
      parts: [{ type: 'text', text: 'Let me look.' }, { type: 'tool_call' }],
    });
    expect(sentMessages(server, 1)[1]).toMatchObject({ content: 'Let me look.', tool_calls: [{ id: 'call_1' }] });
  });

  it('keeps the text around a text tool call without its markup, and treats the call like a native one', async () => {
    await using server = await startModelServer([
      reply.text(`Let me look.\n${asText(TOKYO)} One moment.`, { pieces: 3 }),
      reply.text('Late.'),
    ]);
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const { calls } = await agent.run('Tokyo?').result;
    expect(calls.map(({ result }) => result.outcome)).toEqual(['done']);
    // Text tool calls are final only at the end of the answer, so they follow all of its text.
    expect(agent.messages[1]?.parts).toMatchObject([
      { type: 'text', text: 'Let me look. One moment.' },
      { type: 'tool_call', ...TOKYO, tool: { serverId: 'date', name: 'get-date' } },
    ]);
    const [, asked, answered] = sentMessages(server, 1);
    const [call] = asked?.['tool_calls'] as { id: string; type: string; function: { arguments: string } }[];
    expect(JSON.stringify(asked)).not.toContain('<tool_call>');
    expect(call).toMatchObject({ type: 'function', function: { name: 'get-date' } });
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual(TOKYO.arguments);
    expect(answered).toMatchObject({ role: 'tool', tool_call_id: call?.id });
  });

  it('distinguishes two calls written in the same millisecond', async () => {
    const platform = nodePlatform();
    const frozen = { ...platform, clock: { ...platform.clock, now: () => 1_700_000_000_000 } };
    await using server = await startModelServer([reply.text(asText(TOKYO) + asText(TOKYO)), reply.text('Late.')]);
    const model = { baseUrl: server.url, id: 'scripted' };
    await using agent = await createAgent({ model, servers: [DATE_SERVER] }, frozen);
    const { calls } = await agent.run('Twice?').result;
    expect(new Set(calls.map(({ call }) => call.callId)).size).toBe(2);
    const [, asked, ...answers] = sentMessages(server, 1);
    const ids = (asked?.['tool_calls'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(answers.map((message) => message['tool_call_id'])).toEqual(ids);
  });

  it('makes the valid call beside a malformed one, and answers both', async () => {
    await using server = await startModelServer([
      reply.text(`<tool_call>{bad}</tool_call>${asText(TOKYO)}`),
      reply.text('.'),
    ]);
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const { calls } = await agent.run('Tokyo?').result;
    expect(calls.map(({ result }) => result.outcome)).toEqual(['done']);
    const resultText = JSON.stringify(sentMessages(server, 1));
    expect(resultText).toContain('could not be parsed');
    expect(resultText).toContain('+09:00');
  });
});

describe('the request', () => {
  it('contains no tools without a connected server', async () => {
    await using server = await startModelServer([reply.text('Hello.')]);
    await using agent = await agentOn(server);
    await agent.run('Hi').result;
    expect(sentBody(server, 0)).not.toHaveProperty('tools');
  });

  it('allows twenty turns by default, the last without tools', async () => {
    await using server = await startModelServer((request, index) =>
      (request.body as { tool_choice?: string }).tool_choice === 'none'
        ? reply.text('Enough.')
        : reply.toolCalls([{ name: 'get-date', arguments: { format: 'unix', locale: `en-${100 + index}` } }]),
    );
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const { text, turns } = await agent.run('Loop').result;
    expect({ text, turns, asked: server.requests.length }).toEqual({ text: 'Enough.', turns: 20, asked: 20 });
  });
});

describe('a failed run allows another one', () => {
  /** Fails a run by `script`, then sends another message, which must be answered. */
  async function failAndContinue(script: readonly ModelReply[], servers: ServerConfig[] = []): Promise<RunEvent[]> {
    await using server = await startModelServer([...script, reply.text('Here I am.')]);
    const limits = { maxTurns: Math.max(1, script.length), onMaxTurns: 'error' } as const;
    await using agent = await agentOn(server, { servers, limits });
    const run = agent.run('Hi');
    const events = await readEvents(run);
    await expect(run.result).rejects.toBeInstanceOf(RunFailed);
    expect(server.requests).toHaveLength(script.length);
    expect((await agent.run('Still there?').result).text).toBe('Here I am.');
    expect(events.filter(({ type }) => type === 'run_finished')).toHaveLength(1);
    return events;
  }

  it('after a response without a choice', async () => {
    const events = await failAndContinue([reply.events([{ id: 'x', choices: [] }, '[DONE]'])]);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'no_response', message: expect.stringContaining('without any choice') },
    });
  });

  it('after an answer with neither text nor call', async () => {
    const events = await failAndContinue([reply.text('')]);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'empty_response', message: expect.stringContaining('neither text nor a tool call') },
    });
  });

  it('after an answer of only reasoning and white space', async () => {
    const events = await failAndContinue([reply.text(' \n', { reasoning: 'What now?' })]);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'empty_response', message: expect.stringContaining('neither text nor a tool call') },
    });
  });

  it('after the last turn requests a tool, whose result is kept', async () => {
    const events = await failAndContinue([reply.toolCalls([TOKYO]), reply.toolCalls([TOKYO])], [DATE_SERVER]);
    expect(events.filter(({ type }) => type === 'tool_finished')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'max_turns_exceeded', message: expect.stringContaining('2 turns') },
    });
  });
});

type Tool = NonNullable<McpBehaviour['tools']>[number];

/** A third-party server with this one tool. */
function serverWith(id: string, name: string, ...does: NonNullable<Tool['does']>): ServerConfig {
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand({ tools: [{ name, does }] }) } };
}

describe('several calls of one answer', () => {
  /** The order of starts and ends if the model requests three calls at once. */
  async function order(toolConcurrency: number): Promise<string[]> {
    const wait = { name: 'wait', arguments: {} };
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-order-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'all-have-started');
    await using model = await startModelServer([reply.toolCalls([wait, wait, wait]), reply.text('Done.')]);
    await using agent = await agentOn(model, {
      servers: [serverWith('odd', 'wait', { do: 'wait_for_file', file })],
      allow: ['odd/wait'],
      limits: { toolConcurrency },
    });
    const seen: string[] = [];
    for await (const { type } of agent.run('Go')) {
      if (type !== 'tool_started' && type !== 'tool_finished') continue;
      seen.push(type);
      if (seen.length === Math.min(3, toolConcurrency)) writeFileSync(file, '');
    }
    return seen;
  }

  it('are made concurrently', async () => {
    expect((await order(8)).slice(0, 3)).toEqual(['tool_started', 'tool_started', 'tool_started']);
  });

  it('are limited in concurrency, and all are made', async () => {
    const oneByOne = ['tool_started', 'tool_finished'];
    expect(await order(1)).toEqual([...oneByOne, ...oneByOne, ...oneByOne]);
  });
});

describe('the result of a tool', () => {
  const script = (name: string): ModelReply[] => [reply.toolCalls([{ name, arguments: {} }]), reply.text('I see.')];

  it('comes from the right server if two have a tool of that name', async () => {
    await using model = await startModelServer(script('right__which'));
    await using agent = await agentOn(model, {
      servers: ['left', 'right'].map((id) => serverWith(id, 'which', { do: 'text', text: `I am ${id}.` })),
      allow: ['right/which'],
    });
    const { calls } = await agent.run('Which?').result;
    expect(calls).toMatchObject([
      { call: { tool: { serverId: 'right', name: 'which' } }, result: { content: [{ text: 'I am right.' }] } },
    ]);
  });

  it('is complete and in order, and all of its text reaches the model', async () => {
    const content = [
      { type: 'text', text: 'first' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      { type: 'text', text: 'last' },
    ];
    await using model = await startModelServer(script('three'));
    await using agent = await agentOn(model, {
      servers: [serverWith('odd', 'three', { do: 'result', result: { content } })],
      allow: ['odd/three'],
    });
    const { calls } = await agent.run('Go').result;
    expect(calls[0]?.result.content).toMatchObject([
      { type: 'text', text: 'first' },
      { type: 'image', source: { data: 'iVBORw0KGgo=' } },
      { type: 'text', text: 'last' },
    ]);
    const [resultText, shown] = sentMessages(model, 1).slice(-2);
    expect(resultText?.content).toMatch(/^first\n.*\nlast$/);
    expect(JSON.stringify(shown)).toContain('data:image/png;base64,iVBORw0KGgo=');
  });

  it('is truncated for the model if it is too long, and complete in the conversation', async () => {
    await using model = await startModelServer(script('huge'));
    await using agent = await agentOn(model, {
      servers: [serverWith('odd', 'huge', { do: 'huge', bytes: 1_000_000 })],
      allow: ['odd/huge'],
    });
    const { calls } = await agent.run('Go').result;
    const [part] = calls[0]?.result.content ?? [];
    expect(part?.type === 'text' && part.text.length).toBe(1_000_000);
    const resultText = String(sentMessages(model, 1).at(-1)?.content);
    expect(resultText.length).toBeLessThan(100_200);
    expect(resultText).toContain('of 1000000 characters shown');
  });

  it('is an error for the model if the server returns one', async () => {
    await using model = await startModelServer(script('odd-one'));
    await using agent = await agentOn(model, {
      servers: [serverWith('odd', 'odd-one', { do: 'error', code: -32602, message: 'Unknown tool: odd-one' })],
      allow: ['odd/odd-one'],
    });
    const { calls, text } = await agent.run('Go').result;
    expect(text).toBe('I see.');
    expect(calls[0]?.result.isError).toBe(true);
    expect(sentMessages(model, 1).at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('Unknown tool: odd-one'),
    });
  });
});
