import type { Budget } from '@toolyard/protocol';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { HttpServer } from '@toolyard/server-date';
import { serveDateOverHttp } from '@toolyard/server-date';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSteadyClock, reply, startModelServer } from '@toolyard/testing';
import { RunFailed } from '../agent-run.ts';
import { createAgent, nodePlatform } from './index.ts';
import { agentOn, DATE_SERVER, readEvents, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

/** Over HTTP in this process, since a process per test would take most of the time; one test starts a process. */
let date: HttpServer;
let dateServer: ServerConfig;
beforeAll(async () => {
  date = await serveDateOverHttp();
  dateServer = { id: 'date', builtIn: true, transport: { type: 'http', url: date.url } };
});
afterAll(() => date.close());

const TOKYO = { name: 'get-date', arguments: { timezone: 'Asia/Tokyo', format: 'iso' } };

describe('a conversation with tools', () => {
  it('sends the user message, the instructions and the tools to the model', async () => {
    await using server = await startModelServer([reply.text('Hello.')]);
    await using agent = await agentOn(server, { servers: [dateServer], instructions: 'Be brief.' });
    await agent.run('Hi').result;
    expect(sentMessages(server, 0)).toEqual([
      { role: 'system', content: expect.stringMatching(/^Be brief\./) },
      { role: 'user', content: 'Hi' },
    ]);
    expect(sentBody(server, 0)['tools']).toEqual([
      { type: 'function', function: expect.objectContaining({ name: 'get-date' }) },
    ]);
  });

  it('現在是幾點幾分？ makes a tool call, sends its result to the model, and returns the answer', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ id: 'call_1', name: 'get-date', arguments: { format: 'locale', locale: 'zh-TW' } }]),
      reply.text('現在是下午兩點半。'),
    ]);
    await using agent = await agentOn(server, { servers: [DATE_SERVER] });
    const run = agent.run('現在是幾點幾分？');
    const events = await readEvents(run);
    const result = await run.result;

    expect(result.text).toBe('現在是下午兩點半。');
    expect(result.turns).toBe(2);
    expect(result.calls).toHaveLength(1);
    expect(result.calls[0]).toMatchObject({
      call: { tool: { serverId: 'date', name: 'get-date' } },
      result: { isError: false, outcome: 'done' },
    });
    const second = sentMessages(server, 1);
    expect(second.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(second[1]).toMatchObject({ tool_calls: [{ id: 'call_1', function: { name: 'get-date' } }] });
    expect(second[2]).toMatchObject({ tool_call_id: 'call_1', content: expect.stringMatching(/\d/) });
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events[0]?.type).toBe('run_started');
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
  });

  it('detects a text tool call, makes it, and hides its markup', async () => {
    await using server = await startModelServer([
      reply.text(`<tool_call>\n${JSON.stringify(TOKYO)}\n</tool_call>`, { pieces: 3 }),
      reply.text('Late.'),
    ]);
    const log: string[] = [];
    await using agent = await agentOn(server, { servers: [dateServer], log: (line) => log.push(line) });
    const run = agent.run('What time is it in Tokyo?');
    const events = await readEvents(run);
    const { calls } = await run.result;
    // The log says whether the server was connected.
    expect({ calls, log }).toMatchObject({
      calls: [{ result: { content: [{ text: expect.stringContaining('+09:00') }] } }],
    });
    const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
    expect(text).toBe('Late.');
    expect(sentMessages(server, 1)[1]).toMatchObject({ role: 'assistant', content: null, tool_calls: [{}] });
  });

  it('describes the tools in the prompt in text mode, and returns results as text', async () => {
    await using server = await startModelServer([
      reply.text(`<tool_call>${JSON.stringify(TOKYO)}</tool_call>`),
      reply.text('Late.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer], toolMode: 'text' });
    expect((await agent.run('Tokyo?').result).text).toBe('Late.');
    expect(sentBody(server, 0)).not.toHaveProperty('tools');
    expect(sentMessages(server, 0)[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('get-date'),
    });
    const second = sentMessages(server, 1);
    expect(second.at(-2)?.content).toContain('<tool_call>');
    expect(second.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('<tool_response>') });
  });

  it('takes text without a call as the answer and keeps it in the history', async () => {
    await using server = await startModelServer([reply.text('a < b, and {"name": 1} is JSON.')]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    expect((await agent.run('Hi').result).text).toBe('a < b, and {"name": 1} is JSON.');
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', parts: [{ type: 'text' }] });
  });

  it('continues with the history in a second run: system, user, assistant and tool messages', async () => {
    await using server = await startModelServer([
      reply.toolCalls([TOKYO]),
      reply.text('Late.'),
      reply.text('As I said.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer], instructions: 'Be brief.' });
    await agent.run('Tokyo?').result;
    await agent.run('Again?').result;
    expect(sentMessages(server, 2).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('makes several calls at once and returns their results in order', async () => {
    await using server = await startModelServer([
      reply.toolCalls([
        { id: 'a', name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } },
        { id: 'b', name: 'get-date', arguments: { timezone: 'Nowhere/Land' } },
        { id: 'c', name: 'get-date', arguments: { timezone: 'Europe/London' } },
      ]),
      reply.text('Done.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const { calls } = await agent.run('Times?').result;
    expect(calls.map(({ result }) => result.isError)).toEqual([false, true, false]);
    const results = sentMessages(server, 1).filter(({ role }) => role === 'tool');
    expect(results.map((message) => message['tool_call_id'])).toEqual(['a', 'b', 'c']);
    expect(results[1]?.content).toContain('Nowhere/Land');
  });

  it('supports a provider that gives every call the same id', async () => {
    const twins = [
      { id: 'call_0', name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } },
      { id: 'call_0', name: 'get-date', arguments: { timezone: 'Asia/Taipei' } },
    ];
    await using server = await startModelServer([reply.toolCalls(twins), reply.toolCalls(twins), reply.text('Both.')]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const { calls } = await agent.run('Times?').result;
    expect(new Set(calls.map(({ call }) => call.callId)).size).toBe(4);
    const ids = sentMessages(server, 2).flatMap((message) => message['tool_call_id'] ?? []);
    expect(new Set(ids.slice(0, 2)).size).toBe(2);
  });

  it('returns usage and reasoning in the result', async () => {
    await using server = await startModelServer([
      reply.text('42', { reasoning: 'Let me think.', usage: { prompt_tokens: 7, completion_tokens: 5 } }),
    ]);
    await using agent = await agentOn(server);
    const result = await agent.run('?').result;
    expect(result.reasoning).toBe('Let me think.');
    expect(result.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
  });

  it('ends with the complete streamed content: text, calls, messages and the usage of all requests', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5 };
    await using server = await startModelServer([
      reply.toolCalls([TOKYO], { usage }),
      reply.text('It is noon.', { pieces: 3, usage }),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const run = agent.run('What time is it?');
    const events = await readEvents(run);
    const result = await run.result;
    expect(result).toMatchObject({
      status: 'done',
      text: 'It is noon.',
      calls: [{ call: { name: TOKYO.name, arguments: TOKYO.arguments }, result: { outcome: 'done' } }],
      usage: { inputTokens: 14, outputTokens: 10 },
      turns: 2,
    });
    const streamed = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
    expect(streamed.join('')).toBe(result.text);
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done', usage: result.usage });
  });
});

describe('when a run cannot complete', () => {
  async function failure(run: { result: Promise<unknown> }): Promise<RunFailed> {
    const error: unknown = await run.result.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof RunFailed)) throw new Error('the run should have failed');
    return error;
  }

  it('fails with no_response if the answer has no choice', async () => {
    await using server = await startModelServer([reply.events([{ id: 'x', choices: [] }, '[DONE]'])]);
    await using agent = await agentOn(server);
    expect((await failure(agent.run('Hi'))).code).toBe('no_response');
  });

  it('fails with empty_response without text and calls, and keeps the user message', async () => {
    await using server = await startModelServer([reply.text(''), reply.text('Here I am.')]);
    await using agent = await agentOn(server);
    expect((await failure(agent.run('Hi'))).code).toBe('empty_response');
    expect((await agent.run('Still there?').result).text).toBe('Here I am.');
  });

  it('fails with max_turns_exceeded when the turns are used up, and keeps the last result', async () => {
    await using server = await startModelServer(() => reply.toolCalls([TOKYO]));
    await using agent = await agentOn(server, {
      servers: [dateServer],
      limits: { maxTurns: 5, onMaxTurns: 'error' },
    });
    const error = await failure(agent.run('Tokyo?'));
    expect(error.code).toBe('max_turns_exceeded');
    expect(error.partial.calls).toHaveLength(5);
    expect(server.requests).toHaveLength(5);
  });

  it('makes the last turn answer without tools, which stay defined', async () => {
    await using server = await startModelServer((request) =>
      (request.body as { tool_choice?: string }).tool_choice === 'none'
        ? reply.text('Late.')
        : reply.toolCalls([TOKYO]),
    );
    await using agent = await agentOn(server, { servers: [dateServer], limits: { maxTurns: 3 } });
    const { text, turns } = await agent.run('Tokyo?').result;
    expect({ text, turns }).toEqual({ text: 'Late.', turns: 3 });
    expect(sentBody(server, 2)).toMatchObject({ tools: [{}], tool_choice: 'none' });
  });

  it('fails if the last turn still requests a tool, and leaves the history well formed', async () => {
    await using server = await startModelServer((_request, index) =>
      index < 2 ? reply.toolCalls([TOKYO]) : reply.text('Fine.'),
    );
    await using agent = await agentOn(server, { servers: [dateServer], limits: { maxTurns: 2 } });
    expect((await failure(agent.run('Tokyo?'))).code).toBe('max_turns_exceeded');
    expect(agent.messages.at(-1)).toMatchObject({ role: 'tool', parts: [{ result: { outcome: 'not_sent' } }] });
    expect((await agent.run('Then?').result).text).toBe('Fine.');
  });

  it('fails with repeated_call if a model repeats a call', async () => {
    await using server = await startModelServer(() => reply.toolCalls([TOKYO]));
    await using agent = await agentOn(server, { servers: [dateServer], limits: { maxSameCall: 3 } });
    const error = await failure(agent.run('Tokyo?'));
    expect(error.code).toBe('repeated_call');
    expect(error.partial.calls.filter(({ result }) => result.outcome === 'done')).toHaveLength(3);
  });

  it('fails with time_limit_exceeded during an answer and keeps its text', async () => {
    await using server = await startModelServer([
      reply.text('It was a dark', { finish: null, done: false, thenSilence: true }),
    ]);
    const model = { baseUrl: server.url, id: 'scripted' };
    const platform = { ...nodePlatform(), clock: createSteadyClock() };
    await using agent = await createAgent({ model, limits: { maxWallTimeMs: 1_000 } }, platform);
    const error = await failure(agent.run('Tell me a story'));
    expect(error.code).toBe('time_limit_exceeded');
    expect(error.partial.text).toContain('It was');
  });

  it('fails with budget_exceeded before the next turn', async () => {
    await using server = await startModelServer(() =>
      reply.toolCalls([TOKYO], { usage: { prompt_tokens: 1_000_000, completion_tokens: 0 } }),
    );
    const limits = { price: { inputPerMillion: 1, outputPerMillion: 1 } };
    await using agent = await agentOn(server, {
      servers: [dateServer],
      limits,
      budgets: [{ of: 'run', dollars: 1.5 }],
    });
    const error = await failure(agent.run('Tokyo?'));
    expect(error.code).toBe('budget_exceeded');
    expect(error.partial.cost).toBe(2);
  });

  it.each<[string, Budget, RegExp]>([
    ['of no dollars', { of: 'run', dollars: 0 }, /budgets\[0\].*above zero/],
    ['of no calls', { of: 'day', calls: 0 }, /above zero/],
    ['of half a token', { of: 'day', tokens: 0.5 }, /whole number/],
    ['of nothing', { of: 'run' }, /needs "dollars", "tokens" or "calls"/],
  ])('rejects a budget %s', async (_what, budget, words) => {
    await using server = await startModelServer([]);
    await expect(agentOn(server, { budgets: [budget] })).rejects.toThrow(words);
    expect(server.requests).toEqual([]);
  });

  it.each([0, 1, Number.NaN])(
    'treats a budget raised to %d, which is exhausted already, as a stop and asks once',
    async (limit) => {
      await using server = await startModelServer(() => reply.toolCalls([TOKYO]));
      let asked = 0;
      await using agent = await agentOn(server, {
        servers: [dateServer],
        budgets: [{ of: 'run', calls: 1 }],
        askBudget: () => Promise.resolve({ decision: 'raise', limit: asked++ < 99 ? limit : 2 }),
      });
      expect((await failure(agent.run('Tokyo?'))).code).toBe('budget_exceeded');
      expect(asked).toBe(1);
    },
  );

  it('keeps the text before a stream broke, and the next request is well formed', async () => {
    await using server = await startModelServer([
      reply.text('Once upon a time', { thenCut: true, finish: null, done: false }),
      reply.text('Sorry.'),
    ]);
    await using agent = await agentOn(server);
    const error = await failure(agent.run('A story?'));
    expect(['stream_broken', 'network']).toContain(error.code);
    expect(error.partial.text).toContain('Once upon');
    await agent.run('Go on').result;
    expect(sentMessages(server, 1).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('does not make calls of an answer that was cut off', async () => {
    await using server = await startModelServer([
      reply.toolCalls([TOKYO], { errorInStream: { error: { message: 'CUDA out of memory' } } }),
      reply.text('Better.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const run = agent.run('Tokyo?');
    const events = await readEvents(run);
    expect((await failure(run)).message).toContain('CUDA out of memory');
    expect(events.some(({ type }) => type === 'tool_started')).toBe(false);
    await agent.run('Again').result;
    expect(sentMessages(server, 1).map(({ role }) => role)).not.toContain('tool');
  });
});

describe('calls that go wrong', () => {
  it('answers arguments that are not JSON, and the model may try again', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ id: 'x', name: 'get-date', arguments: '{"timezone": "Asia/To' }]),
      reply.toolCalls([TOKYO]),
      reply.text('Late.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const { calls, text } = await agent.run('Tokyo?').result;
    expect(text).toBe('Late.');
    expect(calls.map(({ result }) => [result.outcome, result.error?.code])).toEqual([
      ['not_sent', 'invalid_arguments'],
      ['done', undefined],
    ]);
    const retry = sentMessages(server, 1);
    expect(retry.at(-1)?.content).toContain('not a JSON object');
    expect(retry.at(-2)).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  it('answers arguments that do not match the schema', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: { format: 7 } }]),
      reply.text('Oh.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const { calls } = await agent.run('Tokyo?').result;
    expect(calls[0]?.result).toMatchObject({ isError: true });
    expect(sentMessages(server, 1).at(-1)?.content).toMatch(/format/);
  });

  it('answers an unknown tool with the nearest names', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'getDate', arguments: {} }]),
      reply.text('Oh.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const { calls } = await agent.run('Tokyo?').result;
    expect(calls[0]?.call.tool).toBeNull();
    expect(sentMessages(server, 1).at(-1)?.content).toContain('"get-date"');
  });

  it('shows a malformed text call, reports it to the model, and never takes it for the answer', async () => {
    await using server = await startModelServer([
      reply.text('<tool_call>{"name": "get-date", "arguments": {"timezone": }}</tool_call>'),
      reply.text('Sorry, I cannot.'),
    ]);
    await using agent = await agentOn(server, { servers: [dateServer] });
    const run = agent.run('Tokyo?');
    const events = await readEvents(run);
    expect((await run.result).text).toBe('Sorry, I cannot.');
    expect(events.find(({ type }) => type === 'tool_call_malformed')).toMatchObject({
      call: { raw: expect.stringContaining('get-date') },
    });
    expect(sentMessages(server, 1).at(-1)?.content).toContain('could not be parsed');
  });
});
