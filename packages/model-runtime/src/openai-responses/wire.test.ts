import type { JsonObject, Message } from '@toolyard/protocol';
import { reply, responsesEvents, responsesReply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import {
  assistant,
  call,
  collect,
  errorIn,
  request,
  result,
  system,
  textIn,
  tool,
  user,
} from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest } from '../types.ts';
import { toOutgoing } from './request.ts';

function body(messages: Message[] | string, more: Partial<ChatRequest> = {}, without: string[] = []): JsonObject {
  return JSON.parse(toOutgoing(request(messages, more), new Set(without)).body) as JsonObject;
}

async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}) {
  await using server = await startModelServer([scripted]);
  return await collect(runtimeOver('openai-responses', server.url), request('hi', more));
}

const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;
const tools = [tool('f'), tool('g')];

describe('requests', () => {
  test('disable server-side storage and encode items, files, calls and results', () => {
    const messages = [
      system('Be kind.'),
      user(
        'look',
        png,
        { type: 'audio', mimeType: 'audio/wav', source: { data: 'UklGRgAAAABXQVZF' } },
        { type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'JVBERi0x' } },
        { type: 'file', mimeType: 'application/pdf', source: { url: 'https://example.org/b.pdf' } },
      ),
      assistant('So.', call('c1', 'f', { x: 1 }, 'call_9')),
      result('c1', 'f', { content: [{ type: 'text', text: 'seen' }, png] }),
    ];
    expect(body(messages, { tools })).toEqual({
      model: 'scripted',
      instructions: 'Be kind.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
            { type: 'input_audio', input_audio: { data: 'UklGRgAAAABXQVZF', format: 'wav' } },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
            { type: 'input_file', file_url: 'https://example.org/b.pdf' },
          ],
        },
        { type: 'message', role: 'assistant', content: 'So.' },
        { type: 'function_call', call_id: 'call_9', name: 'f', arguments: '{"x":1}' },
        {
          type: 'function_call_output',
          call_id: 'call_9',
          output: [
            { type: 'input_text', text: 'seen\n[image: shown below]' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
          ],
        },
      ],
      stream: true,
      store: false,
      tools: [
        {
          type: 'function',
          name: 'f',
          description: 'Does f.',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
        {
          type: 'function',
          name: 'g',
          description: 'Does g.',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
    });
  });

  test('ask reasoning models for encrypted reasoning, at the nearest supported effort', () => {
    const reasoningFields = (model: string, reasoningEffort?: 'none' | 'minimal' | 'max') => {
      const sent = body('hi', { model, parameters: reasoningEffort === undefined ? {} : { reasoningEffort } });
      return [sent['reasoning'], sent['include']];
    };
    const include = ['reasoning.encrypted_content'];
    expect(reasoningFields('gpt-5.2')).toEqual([{ summary: 'auto' }, include]);
    expect(reasoningFields('gpt-5.2', 'max')).toEqual([{ summary: 'auto', effort: 'xhigh' }, include]);
    expect(reasoningFields('gpt-5.6-sol', 'max')).toEqual([{ summary: 'auto', effort: 'max' }, include]);
    expect(reasoningFields('gpt-5', 'none')).toEqual([{ summary: 'auto', effort: 'minimal' }, include]);
    expect(reasoningFields('o3', 'minimal')).toEqual([{ summary: 'auto', effort: 'low' }, include]);
    expect(reasoningFields('gpt-4.1', 'max')).toEqual([undefined, undefined]);
    expect(reasoningFields('some-local-model', 'minimal')).toEqual([{ effort: 'minimal' }, undefined]);
  });

  test('ask for an answer that matches a schema', () => {
    const schema = { type: 'object', properties: {} };
    expect(body('hi', { responseFormat: { type: 'json_schema', name: 'n', schema } })['text']).toEqual({
      format: { type: 'json_schema', name: 'n', schema, strict: false },
    });
    expect(body('hi', { responseFormat: { type: 'json' } })['text']).toEqual({ format: { type: 'json_object' } });
  });
});

describe('responses', () => {
  test('preserve the order of reasoning, text, calls, images, citations and usage', async () => {
    const parts = await ask(
      responsesReply(
        [
          { type: 'reasoning', summary: ['One.', 'Two.'], encrypted: 'ZW5j' },
          {
            type: 'message',
            text: 'Yes.',
            annotations: [
              { type: 'url_citation', url: 'https://example.org/', title: 'E', start_index: 0, end_index: 1 },
            ],
          },
          { type: 'image_generation_call', result: '/9j/AAAA' },
          { type: 'function_call', callId: 'call_1', name: 'f', arguments: { x: 1 } },
        ],
        {
          usage: {
            input_tokens: 10,
            input_tokens_details: { cached_tokens: 4 },
            output_tokens: 5,
            output_tokens_details: { reasoning_tokens: 3 },
          },
        },
      ),
      { tools },
    );
    expect(parts).toEqual([
      { type: 'reasoning', text: 'One.\n\nTwo.' },
      { type: 'reasoning_signature', signature: 'openai-responses:{"id":"rs_0","encrypted_content":"ZW5j"}' },
      { type: 'text', text: 'Yes.' },
      { type: 'citation', url: 'https://example.org/', title: 'E' },
      { type: 'image', mimeType: 'image/jpeg', source: { data: '/9j/AAAA' } },
      { type: 'tool_call_start', index: 0, id: 'call_1', name: 'f' },
      { type: 'tool_call_delta', index: 0, argumentsText: '{"x":1}' },
      { type: 'tool_call', index: 0, id: 'call_1', name: 'f', arguments: { x: 1 }, argumentsText: '{"x":1}' },
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 3 } },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('replay reasoning in place, only to the model that produced it', () => {
    const signature = 'openai-responses:{"id":"rs_0","encrypted_content":"ZW5j"}';
    const reasoning = { type: 'reasoning', text: 'One.', signature } as const;
    const answer = assistant(reasoning, call('c1', 'f', {}, 'call_1'));
    const sent = (model: string, without: string[] = []) =>
      (body([user('hi'), answer, result('c1', 'f', 'r')], { model, tools }, without)['input'] as JsonObject[]).slice(
        1,
        -1,
      );
    const functionCall = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
    const item = {
      type: 'reasoning',
      id: 'rs_0',
      encrypted_content: 'ZW5j',
      summary: [{ type: 'summary_text', text: 'One.' }],
    };
    expect(sent('scripted')).toEqual([item, functionCall]);
    expect(sent('another')).toEqual([functionCall]);
    expect(sent('scripted', ['replay'])).toEqual([functionCall]);
    // The API rejects reasoning without a following item.
    const dangling = body([user('hi'), assistant('So.', reasoning), user('on')])['input'] as JsonObject[];
    expect(dangling.some((each) => each['type'] === 'reasoning')).toBe(false);
  });

  test('send the phase of a message back with it', async () => {
    const message = (index: number, text: string, phase: string): JsonObject[] => [
      { type: 'response.output_item.added', output_index: index, item: { type: 'message', phase, content: [] } },
      { type: 'response.output_text.delta', output_index: index, delta: text },
      {
        type: 'response.output_item.done',
        output_index: index,
        item: { type: 'message', phase, content: [{ type: 'output_text', text }] },
      },
    ];
    const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
    const events = [...message(0, 'Looking.', 'commentary'), ...message(1, 'Found.', 'final_answer'), end];
    const parts = await ask(responsesEvents(events));
    const signatures = parts.flatMap((part) => (part.type === 'reasoning_signature' ? [part.signature] : []));
    const answer = assistant(
      { type: 'reasoning', text: '', signature: signatures[0] ?? '' },
      'Looking.',
      { type: 'reasoning', text: '', signature: signatures[1] ?? '' },
      'Found.',
    );
    expect((body([user('hi'), answer, user('on')])['input'] as JsonObject[]).slice(1, 3)).toEqual([
      { type: 'message', role: 'assistant', content: 'Looking.', phase: 'commentary' },
      { type: 'message', role: 'assistant', content: 'Found.', phase: 'final_answer' },
    ]);
  });

  const message = (id: string, ...texts: string[]): JsonObject => ({
    type: 'message',
    id,
    content: texts.map((text) => ({ type: 'output_text', text })),
  });
  const delta = (text: string, place: JsonObject = { output_index: 0 }): JsonObject => ({
    type: 'response.output_text.delta',
    ...place,
    delta: text,
  });
  const done = (text: string, place: JsonObject = { output_index: 0 }): JsonObject => ({
    type: 'response.output_text.done',
    ...place,
    text,
  });
  const part = (text: string, place: JsonObject = { output_index: 0 }): JsonObject => ({
    type: 'response.content_part.done',
    ...place,
    part: { type: 'output_text', text },
  });
  const itemDone = (value: JsonObject, place: JsonObject = { output_index: 0 }): JsonObject => ({
    type: 'response.output_item.done',
    ...place,
    item: value,
  });

  test.each<[string, string, JsonObject[], JsonObject[]]>([
    ['output_text.done', 'One.', [done('One.')], []],
    ['content_part.done', 'One.', [part('One.')], []],
    ['output_item.done', 'One.', [itemDone(message('m', 'One.'))], []],
    ['response.completed', 'One.', [], [message('m', 'One.')]],
    ['all of these', 'One.', [done('One.'), part('One.'), itemDone(message('m', 'One.'))], [message('m', 'One.')]],
    [
      'deltas and all of these',
      'One.',
      [delta('On'), delta('e.'), done('One.'), part('One.'), itemDone(message('m', 'One.'))],
      [message('m', 'One.')],
    ],
    [
      'deltas and output_text.done with the end',
      'One two.',
      [delta('One'), done('One two.'), part('One two.')],
      [message('m', 'One two.')],
    ],
    ['deltas and response.completed with the end', 'One two.', [delta('One')], [message('m', 'One two.')]],
    [
      'done events of two contents',
      'One. Two.',
      [done('One.', { item_id: 'm', content_index: 0 }), done(' Two.', { item_id: 'm', content_index: 1 })],
      [message('m', 'One.', ' Two.')],
    ],
    [
      'deltas without an index of two contents',
      'One. Two.',
      [delta('One.'), done('One.'), delta(' Two.'), done(' Two.'), itemDone(message('m', 'One.', ' Two.'))],
      [message('x', 'One.', ' Two.')],
    ],
    [
      'another id in every event',
      'One.',
      [
        delta('One.', { output_index: 0, item_id: 'a' }),
        done('One.', { output_index: 0, item_id: 'b' }),
        itemDone(message('c', 'One.')),
      ],
      [message('d', 'One.')],
    ],
    [
      'the position 0 for each of two messages',
      'One. Two.',
      [
        itemDone(message('a', 'One.')),
        { type: 'response.output_item.added', output_index: 0, item: message('b') },
        delta(' Two.', { output_index: 0, item_id: 'b' }),
        itemDone(message('b', ' Two.')),
      ],
      [message('a', 'One.'), message('b', ' Two.')],
    ],
    ['a content that is a text', 'One.', [itemDone({ type: 'message', id: 'm', content: 'One.' })], []],
    ['a different text at the end', 'One.', [delta('One.')], [message('m', 'Uno.')]],
  ])('contain their text once if it comes in %s', async (_, text, events, output) => {
    const completed = { type: 'response.completed', response: { status: 'completed', output } };
    const parts = await ask(responsesEvents([...events, completed]));
    expect(textIn(parts)).toBe(text);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test.each<[string, JsonObject[]]>([
    ['reasoning_text.done', [{ type: 'response.reasoning_text.done', output_index: 0, text: 'Hm.' }]],
    [
      'reasoning_summary_text.done',
      [{ type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'Hm.' }],
    ],
    [
      'reasoning_summary_part.done',
      [{ type: 'response.reasoning_summary_part.done', output_index: 0, part: { type: 'summary_text', text: 'Hm.' } }],
    ],
    [
      'content_part.done',
      [{ type: 'response.content_part.done', item_id: 'r', part: { type: 'reasoning_text', text: 'Hm.' } }],
    ],
    [
      'the item',
      [itemDone({ type: 'reasoning', id: 'r', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] })],
    ],
  ])('contain reasoning once if it comes in %s', async (_, events) => {
    const output = [
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      message('m', 'One.'),
    ];
    const completed = { type: 'response.completed', response: { status: 'completed', output } };
    const parts = await ask(responsesEvents([...events, ...events, done('One.', { output_index: 1 }), completed]));
    expect(parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'One.' },
    ]);
    expect(textIn(parts)).toBe('One.');
  });

  test('end with a refusal that only its end contains', async () => {
    const events = [
      { type: 'response.refusal.done', output_index: 0, refusal: 'No.' },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ];
    const parts = await ask(responsesEvents(events));
    expect(textIn(parts)).toBe('No.');
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'content_filter' });
  });

  test.each<[string, ModelReply, string]>([
    ['the token limit', responsesReply('x', { incomplete: 'max_output_tokens' }), 'length'],
    ['the content filter', responsesReply('x', { incomplete: 'content_filter' }), 'content_filter'],
    ['a refusal', responsesReply([{ type: 'message', text: '', refusal: 'No.' }]), 'content_filter'],
  ])('ended by %s', async (_, scripted, reason) => {
    const parts = await ask(scripted);
    expect(textIn(parts)).not.toBe('');
    expect(parts.at(-1)).toEqual({ type: 'finish', reason });
  });

  test('report a failure with its message', async () => {
    const parts = await ask(responsesReply('half', { failed: { code: 'rate_limit_exceeded', message: 'Slow down' } }));
    expect(textIn(parts)).toBe('half');
    expect(errorIn(parts)).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('Slow down') });
  });

  const item = (index: number | null, value: JsonObject, type = 'added'): JsonObject => ({
    type: `response.output_item.${type}`,
    ...(index === null ? {} : { output_index: index }),
    item: value,
  });
  const fn = (id: string, name: string, args = ''): JsonObject => ({
    id,
    type: 'function_call',
    call_id: id,
    name,
    arguments: args,
  });
  const grow = (place: JsonObject, delta: string): JsonObject => ({
    type: 'response.function_call_arguments.delta',
    ...place,
    delta,
  });
  const end: JsonObject = { type: 'response.completed', response: { status: 'completed', output: [] } };

  test.each<[string, JsonObject[]]>([
    [
      'interleaved calls',
      [
        item(0, fn('a', 'f')),
        item(1, fn('b', 'g')),
        grow({ output_index: 1 }, '{"y":'),
        grow({ output_index: 0 }, '{"x":1}'),
        grow({ output_index: 1 }, '2}'),
        item(1, fn('b', 'g', '{"y":2}'), 'done'),
        item(0, fn('a', 'f', '{"x":1}'), 'done'),
      ],
    ],
    [
      'ids without output_index',
      [
        item(null, fn('a', 'f')),
        grow({ item_id: 'a' }, '{"x":1}'),
        item(null, fn('a', 'f', '{"x":1}'), 'done'),
        item(null, fn('b', 'g')),
        grow({ item_id: 'b' }, '{"y":2}'),
      ],
    ],
    [
      'only output_item.done events',
      [item(0, fn('a', 'f', '{"x":1}'), 'done'), item(1, fn('b', 'g', '{"y":2}'), 'done')],
    ],
    ['only response.completed', []],
    [
      'repeated events',
      [
        item(0, fn('a', 'f')),
        item(0, fn('a', 'f')),
        grow({ output_index: 0 }, '{"x":1}'),
        item(0, fn('a', 'f', '{"x":1}'), 'done'),
        item(0, fn('a', 'f', '{"x":1}'), 'done'),
        item(1, fn('b', 'g', '{"y":2}'), 'done'),
      ],
    ],
  ])('tolerate %s', async (_, events) => {
    const output = [fn('a', 'f', '{"x":1}'), fn('b', 'g', '{"y":2}')];
    const last = events.length === 0 ? { ...end, response: { status: 'completed', output } } : end;
    const parts = await ask(responsesEvents([...events, last]), { tools });
    const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name, part.arguments]] : []));
    expect(calls.sort()).toEqual([
      ['a', 'f', { x: 1 }],
      ['b', 'g', { y: 2 }],
    ]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });
});

describe('fallback after a rejected request', () => {
  test.each([
    ['Your organization must be verified to generate reasoning summaries.', 'reasoning.summary', '"summary":"auto"'],
    ['Encrypted content is not supported with this model.', 'include', 'reasoning.encrypted_content'],
    ['The encrypted content gAAA could not be verified.', '', '"type":"reasoning"'],
  ])('%s', async (message, param, omitted) => {
    const refusal = reply.error(400, { error: { message, type: 'invalid_request_error', param, code: null } });
    await using server = await startModelServer([refusal, responsesReply('ok')]);
    const signature = 'openai-responses:{"id":"rs_0","encrypted_content":"ZW5j"}';
    const answer = assistant({ type: 'reasoning', text: '', signature }, 'So.');
    answer.model = 'gpt-5.2';
    const chatRequest = request([user('a'), answer, user('b')], { model: 'gpt-5.2' });
    expect(textIn(await collect(runtimeOver('openai-responses', server.url), chatRequest))).toBe('ok');
    expect(server.requests.map(({ text }) => text.includes(omitted))).toEqual([true, false]);
  });
});
