import { systemClock } from '@toolyard/protocol';
import { reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { ask, chunk, finish, tools } from '../test-fixtures/openai-chat.ts';
import { joined, request, textIn } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';
import { createOpenAiChatRuntime } from '../create-runtime.ts';

describe('text answers', () => {
  test('consist of text, usage and finish', async () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    };
    expect(await ask(reply.text('Hello 世界 🙂', { usage, pieces: 1 }))).toEqual([
      { type: 'text', text: 'Hello 世界 🙂' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test.each<[string, ModelReply]>([
    ['usage in the last chunk', reply.text('hello', { usage: { prompt_tokens: 1 }, usageIn: 'last-chunk' })],
    [
      'usage in every chunk counts once',
      reply.events([
        { ...chunk({ content: 'hel' }), usage: { prompt_tokens: 1, completion_tokens: 9 } },
        { ...chunk({ content: 'lo' }), usage: { prompt_tokens: 1 } },
        finish('stop'),
        '[DONE]',
      ]),
    ],
    [
      'CRLF and comments',
      reply.text('hello', { newline: '\r\n', comments: true, split: 1, usage: { prompt_tokens: 1 } }),
    ],
    ['no [DONE]', reply.text('hello', { done: false, usage: { prompt_tokens: 1 } })],
    ['no finish but [DONE]', reply.text('hello', { finish: null, usage: { prompt_tokens: 1 } })],
    ['additional choices', reply.text('hello', { otherChoices: ['other', 'more'], usage: { prompt_tokens: 1 } })],
    [
      'plain JSON',
      reply.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1 },
      }),
    ],
    [
      'plain JSON with the content type of an event stream',
      reply.raw(
        [
          JSON.stringify({
            choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 1 },
          }),
        ],
        { split: 3 },
      ),
    ],
    [
      'events with the content type of text',
      reply.text('hello', { headers: { 'content-type': 'text/plain' }, usage: { prompt_tokens: 1 } }),
    ],
    [
      'data over several lines',
      reply.raw([
        'data: {"choices":[{"delta":\ndata: {"content":"hello"},\ndata: "finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n',
      ]),
    ],
    [
      'no blank line at the end',
      reply.raw([
        `data: ${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}`,
      ]),
    ],
    [
      'events separated by a single newline',
      reply.raw([
        `data: ${JSON.stringify({ ...chunk({ content: 'hel' }), usage: { prompt_tokens: 1 } })}\ndata: ${JSON.stringify(chunk({ content: 'lo' }, { finish_reason: 'stop' }))}\ndata: [DONE]\n\n`,
      ]),
    ],
    [
      'content in an array',
      reply.events([
        { ...chunk({ content: [{ type: 'text', text: 'hel' }, 'lo'] }), usage: { prompt_tokens: 1 } },
        finish('stop'),
        '[DONE]',
      ]),
    ],
    [
      'a byte order mark and unknown fields',
      reply.raw([
        `\ufeffid: 1\nfoo: bar\nretry: x\ndata:${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}\n\n`,
      ]),
    ],
    [
      'empty events',
      reply.raw([
        `data:\n\ndata: \n\ndata: ${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}\n\n`,
      ]),
    ],
    ...(
      [
        ['end markers of other forms', (json) => `data: ${json}\n\ndata: [done] \n\ndata: no JSON\n\n`],
        ['an end marker without brackets', (json) => `data: ${json}\n\ndata: DONE\n\n`],
        [
          'signs of life that are no JSON',
          (json) => `event: ping\ndata: ping\n\ndata: still here\n\ndata: ${json}\n\n`,
        ],
        ['a doubled field', (json) => `data: data: ${json}\n\n`],
        ['an indented field', (json) => `  data: ${json}\n\n`],
        ['a field in capitals', (json) => `DATA: ${json}\n\n`],
        ['a number that is none in JSON', (json) => `data: ${json.replace('{', '{"logprobs": NaN, ')}\n\n`],
        ['one JSON object for each line', (json) => `{"choices":[]}\n${json}\n[DONE]\n`],
        ['one JSON object for each line, without the last line break', (json) => `{"choices":[]}\r\n${json}`],
        ['an indented JSON object', (json) => JSON.stringify(JSON.parse(json), null, 2)],
      ] satisfies [string, (json: string) => string][]
    ).map(([title, write]): [string, ModelReply] => {
      const event = { ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } };
      return [title, reply.raw([write(JSON.stringify(event))], { split: 3 })];
    }),
  ])('%s', async (_, scripted) => {
    expect(await ask(scripted)).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'usage', usage: { inputTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['function_call', 'tool_calls'],
    ['eos', 'stop'],
  ])('finish reason %s maps to %s', async (finishReason, reason) => {
    expect((await ask(reply.text('x', { finish: finishReason }))).at(-1)).toEqual({ type: 'finish', reason });
  });

  test.each([
    `data: ${JSON.stringify(chunk({ content: 'hello' }))}\n\nupstream connect error\n`,
    `data: ${JSON.stringify(chunk({ content: 'hello' }))}\n\ndata: upstream connect error\n\n`,
    `data: ${JSON.stringify(chunk({ content: 'hello' }))}\n\n{"error": {"message": "upstream connect error"}}\n`,
  ])('what a server says in place of the rest is the error: %j', async (body) => {
    expect((await ask(reply.raw([body]))).at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('upstream connect error') },
    });
  });

  test.each(['reasoning_content', 'reasoning'] as const)('reasoning in %s', async (reasoningField) => {
    const parts = await ask(reply.text('yes', { reasoning: 'let me see', reasoningField }));
    expect(parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'let me see' },
      { type: 'text', text: 'yes' },
    ]);
  });

  test('reasoning written as text', async () => {
    expect((await ask(reply.text('<think>hm</think>yes', { pieces: 3 }))).slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
    ]);
  });

  test('a refusal is shown and ends the answer as one', async () => {
    const parts = await ask(reply.events([chunk({ refusal: 'I will not.' }), finish('stop'), '[DONE]']));
    expect(parts).toEqual([
      { type: 'text', text: 'I will not.' },
      { type: 'finish', reason: 'content_filter' },
    ]);
  });

  test('are the same at any chunk size', async () => {
    const content = {
      usage: { prompt_tokens: 4 },
      reasoning: '想一想',
      text: 'Sure <b>🙂</b> <tool',
      newline: '\r\n',
      comments: true,
    } as const;
    const calls = [{ id: 'x', name: 'f', arguments: { city: '東京' } }];
    const complete = await ask(reply.toolCalls(calls, { ...content, split: 'whole' }), { tools });
    expect(complete.map((part) => part.type)).toContain('tool_call');
    for (const split of ['byte', 2, 5, { seed: 1 }, { seed: 2 }] as const) {
      expect(await ask(reply.toolCalls(calls, { ...content, split }), { tools })).toEqual(complete);
    }
  });

  test('give one batch per network read', async () => {
    await using server = await startModelServer([
      reply.text('a longer answer in many pieces', { pieces: 1, split: 'whole' }),
    ]);
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock: systemClock });
    const batches: (readonly StreamPart[])[] = [];
    for await (const batch of runtime.chat(request('hi'))) batches.push(batch);
    expect(batches.length).toBeLessThan(4);
    expect(textIn(joined(batches.flat()))).toBe('a longer answer in many pieces');
  });
});
