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
import { agentOn, DATE_SERVER, eventsOf, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

const TOKYO = { name: 'get-date', arguments: { timezone: 'Asia/Tokyo', format: 'iso' } };
const asText = (call: object): string => `<tool_call>${JSON.stringify(call)}</tool_call>`;

describe('an answer with tool calls', () => {
  it('keeps the text beside native calls, and makes the calls', { tags: ['D3.17'] }, async () => {
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

  it(
    'keeps the text around a call written as text, without its markup, and treats the call as a native one',
    { tags: ['D3.23', 'D3.24', 'D3.25', 'D6.20', 'D6.21', 'D6.25', 'D6.30'] },
    async () => {
      await using server = await startModelServer([
        reply.text(`Let me look.\n${asText(TOKYO)} One moment.`, { pieces: 3 }),
        reply.text('Late.'),
      ]);
      await using agent = await agentOn(server, { servers: [DATE_SERVER] });
      const { calls } = await agent.run('Tokyo?').result;
      expect(calls.map(({ result }) => result.outcome)).toEqual(['done']);
      // Calls written as text are known to count only at the end of the answer: they stand behind all of its text.
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
    },
  );

  it('tells two calls written in one millisecond apart', { tags: ['D3.22', 'D6.23'] }, async () => {
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

  it('makes the sound call beside one that cannot be read, and answers both', { tags: ['D6.17'] }, async () => {
    await using server = await startModelServer([
      reply.text(`<tool_call>{bad}</tool_call>${asText(TOKYO)}`),
      reply.text('.'),
    ]);
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const { calls } = await agent.run('Tokyo?').result;
    expect(calls.map(({ result }) => result.outcome)).toEqual(['done']);
    const told = JSON.stringify(sentMessages(server, 1));
    expect(told).toContain('could not be read');
    expect(told).toContain('+09:00');
  });
});

describe('what is offered to the model', () => {
  it('is no tool at all where no server is connected', { tags: ['D1.04'] }, async () => {
    await using server = await startModelServer([reply.text('Hello.')]);
    await using agent = await agentOn(server);
    await agent.run('Hi').result;
    expect(sentBody(server, 0)).not.toHaveProperty('tools');
  });

  it(
    'is twenty turns, the last without tools, where nothing else was said',
    { tags: ['C3.03', 'D3.04', 'D9.03', 'D9.11'] },
    async () => {
      await using server = await startModelServer((request, index) =>
        (request.body as { tool_choice?: string }).tool_choice === 'none'
          ? reply.text('Enough.')
          : reply.toolCalls([{ name: 'get-date', arguments: { format: 'unix', locale: `en-${100 + index}` } }]),
      );
      await using agent = await agentOn(server, { servers: [DATE_SERVER] });
      const { text, turns } = await agent.run('Loop').result;
      expect({ text, turns, asked: server.requests.length }).toEqual({ text: 'Enough.', turns: 20, asked: 20 });
    },
  );
});

describe('a run that fails is over', () => {
  /** Fails a run by `script`, then asks again, which must work. */
  async function failAndGoOn(script: readonly ModelReply[], servers: ServerConfig[] = []): Promise<RunEvent[]> {
    await using server = await startModelServer([...script, reply.text('Here I am.')]);
    const limits = { maxTurns: Math.max(1, script.length), onMaxTurns: 'error' } as const;
    await using agent = await agentOn(server, { servers, limits });
    const run = agent.run('Hi');
    const events = await eventsOf(run);
    await expect(run.result).rejects.toBeInstanceOf(RunFailed);
    expect(server.requests).toHaveLength(script.length);
    expect((await agent.run('Still there?').result).text).toBe('Here I am.');
    expect(events.filter(({ type }) => type === 'run_finished')).toHaveLength(1);
    return events;
  }

  it('after no response at all', { tags: ['D3.11', 'D3.12', 'D3.44'] }, async () => {
    const events = await failAndGoOn([reply.events([{ id: 'x', choices: [] }, '[DONE]'])]);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'no_response', message: expect.stringContaining('without any choice') },
    });
  });

  it(
    'after an answer with neither text nor call',
    { tags: ['C3.14', 'D3.41', 'D3.42', 'D3.46', 'D3.47'] },
    async () => {
      const events = await failAndGoOn([reply.text('')]);
      expect(events.at(-1)).toMatchObject({
        type: 'run_finished',
        status: 'failed',
        error: { code: 'empty_response', message: expect.stringContaining('neither text nor a tool call') },
      });
    },
  );

  it('after an answer of nothing but thinking and white space', { tags: ['D3.39', 'D3.41'] }, async () => {
    const events = await failAndGoOn([reply.text(' \n', { reasoning: 'What now?' })]);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'empty_response', message: expect.stringContaining('neither text nor a tool call') },
    });
  });

  it('after the last turn that asks for a tool, whose result is kept', { tags: ['D3.37', 'D3.45'] }, async () => {
    const events = await failAndGoOn([reply.toolCalls([TOKYO]), reply.toolCalls([TOKYO])], [DATE_SERVER]);
    expect(events.filter(({ type }) => type === 'tool_finished')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'max_turns_exceeded', message: expect.stringContaining('2 turns') },
    });
  });
});

type Tool = NonNullable<McpBehaviour['tools']>[number];

/** A foreign server with this one tool. */
function serverWith(id: string, name: string, ...does: NonNullable<Tool['does']>): ServerConfig {
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand({ tools: [{ name, does }] }) } };
}

describe('several calls of one answer', () => {
  /** What starts and ends, in its order, where the model asks for three calls at once. */
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

  it('are made at the same time', { tags: ['D4.07'] }, async () => {
    expect((await order(8)).slice(0, 3)).toEqual(['tool_started', 'tool_started', 'tool_started']);
  });

  it('are made no more at a time than the limit says, and all of them', { tags: ['D4.07'] }, async () => {
    const oneByOne = ['tool_started', 'tool_finished'];
    expect(await order(1)).toEqual([...oneByOne, ...oneByOne, ...oneByOne]);
  });
});

describe('what a tool gives back', () => {
  const script = (name: string): ModelReply[] => [reply.toolCalls([{ name, arguments: {} }]), reply.text('I see.')];

  it(
    'comes from the server that was meant, where two have a tool of that name',
    { tags: ['C1.07', 'C1.24', 'C7.07', 'C7.08', 'D4.09', 'D4.11', 'M2.02', 'M2.04', 'M2.05', 'M2.08'] },
    async () => {
      await using model = await startModelServer(script('right__which'));
      await using agent = await agentOn(model, {
        servers: ['left', 'right'].map((id) => serverWith(id, 'which', { do: 'text', text: `I am ${id}.` })),
        allow: ['right/which'],
      });
      const { calls } = await agent.run('Which?').result;
      expect(calls).toMatchObject([
        { call: { tool: { serverId: 'right', name: 'which' } }, result: { content: [{ text: 'I am right.' }] } },
      ]);
    },
  );

  it(
    'is kept whole and in order, and every text of it reaches the model',
    { tags: ['D1.20', 'D4.23', 'D4.25', 'D5.10', 'M2.20', 'M2.21'] },
    async () => {
      const content = [
        { type: 'text', text: 'first' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
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
        { type: 'image', source: { data: 'AAAA' } },
        { type: 'text', text: 'last' },
      ]);
      const [told, shown] = sentMessages(model, 1).slice(-2);
      expect(told?.content).toMatch(/^first\n.*\nlast$/);
      expect(JSON.stringify(shown)).toContain('data:image/png;base64,AAAA');
    },
  );

  it('is cut for the model where it is too long, and whole in the conversation', { tags: ['D4.29'] }, async () => {
    await using model = await startModelServer(script('huge'));
    await using agent = await agentOn(model, {
      servers: [serverWith('odd', 'huge', { do: 'huge', bytes: 1_000_000 })],
      allow: ['odd/huge'],
    });
    const { calls } = await agent.run('Go').result;
    const [part] = calls[0]?.result.content ?? [];
    expect(part?.type === 'text' && part.text.length).toBe(1_000_000);
    const told = String(sentMessages(model, 1).at(-1)?.content);
    expect(told.length).toBeLessThan(100_200);
    expect(told).toContain('of 1000000 characters shown');
  });

  it('is an error the model reads where the server throws', { tags: ['D4.21', 'M2.27'] }, async () => {
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
