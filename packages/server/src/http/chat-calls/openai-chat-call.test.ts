import { reply } from '@toolyard/testing';
import { fc } from '@toolyard/testing/property';
import type { JsonObject } from '@toolyard/protocol';
import { chatCall } from '@toolyard/protocol/schemas';
import { describe, expect, test } from 'vitest';
import { getChatSchema, toChatCall } from './chat-call.ts';
import { useModelStage } from '../test-fixtures/model-calls.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('POST /webapi/chat/{provider} with the body of OpenAI Chat Completions', () => {
  const { stage, post } = useModelStage();

  test.each(['data:;charset=utf-8;base64,', 'data:image/jpg;base64, ', 'DATA:IMAGE/PNG,'])(
    'accepts an image after %j',
    async (header) => {
      stage.script = [reply.text('A pixel.')];
      const content = [{ type: 'image_url', image_url: { url: `${header}${PIXEL}` } }];
      await post('/webapi/chat/p', { model: 'scripted', messages: [{ role: 'user', content }], stream: true });
      expect(stage.upstream.requests.at(-1)?.text).toContain(`data:image/png;base64,${PIXEL}`);
    },
  );

  test('sends a provider of this API format what the client wrote', async () => {
    stage.script = [reply.text('Sunny.')];
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this, and how is the weather there?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'Which city?' },
      { role: 'tool', tool_call_id: 'a', content: 'Sunny.' },
      { role: 'assistant', content: 'Sunny in Oslo.' },
      { role: 'user', content: 'Sure?' },
    ];
    const answer = await post('/webapi/chat/p', {
      model: 'scripted',
      messages,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop: 'END',
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        },
      ],
      tool_choice: 'auto',
    });
    expect(answer.text).toContain('event: text');
    const body = stage.upstream.requests[0]?.body as JsonObject;
    expect(body).toMatchObject({ model: 'scripted', temperature: 0.5, top_p: 0.9, stop: ['END'] });
    expect(body['tools']).toMatchObject([{ type: 'function', function: { name: 'weather' } }]);
    const sent = body['messages'] as JsonObject[];
    expect(sent[0]).toEqual(messages[0]);
    expect(sent[1]).toMatchObject(messages[1] as object);
    const calls = sent[2]?.['tool_calls'] as { id: string }[];
    expect(calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { function: { name: 'weather', arguments: '{}' } },
    ]);
    // The ids may be replaced by ones that the provider accepts; results keep theirs.
    const results = new Map(sent.map((each) => [each['tool_call_id'], each['content']]));
    expect(calls.map(({ id }) => results.get(id))).toEqual(['Sunny.', 'Which city?']);
    expect(sent.at(-1)).toEqual({ role: 'user', content: 'Sure?' });
  });

  const hi = { role: 'user', content: 'hi' };
  const call = (id: string, written = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: written } });
  test.each<[object, string]>([
    [{ messages: [hi], stream: false }, 'stream in the body must be true: this route always streams.'],
    [{ messages: [hi], logprobs: true }, 'The body has the unknown field "logprobs".'],
    [{ messages: [hi], parallel_tool_calls: false }, 'The body has the unknown field "parallel_tool_calls".'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages.0.content in the body is missing.'],
    [{ messages: null }, 'messages in the body'],
    [{ messages: [hi], temperature: -1 }, 'temperature in the body must be at least 0.'],
    [{ messages: [hi, { role: 'robot', content: 'x' }] }, 'messages.1.role in the body must be "system", "developer"'],
    [{ messages: [hi, { role: 'user', parts: [] }] }, 'messages.1'],
    [{ messages: [{ role: 'user', content: [{ type: 'video', text: 'x' }] }] }, 'messages.0.content'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }] },
      'must begin with https://',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png,Hello!' } }] }] },
      'messages.0.content.0.image_url.url in the body: contains no image: its data is not image/png.',
    ],
    [
      { messages: [hi, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'messages.1.tool_call_id in the body: "a" is',
    ],
    [
      { messages: [hi, { role: 'assistant', tool_calls: [call('a', '{"x":')] }] },
      'messages.1.tool_calls.0.function.arguments in the body is not valid JSON',
    ],
    [
      { messages: [hi, { role: 'assistant', tool_calls: [call('a', '[]')] }] },
      'messages.1.tool_calls.0.function.arguments in the body must be a JSON object.',
    ],
    [{ messages: [hi, { role: 'assistant', tool_calls: [call('a'), call('a')] }] }, 'messages.1.tool_calls.1.id'],
  ])('rejects %j with the place of the mistake', async (body, text) => {
    const answer = await post('/webapi/chat/p', { model: 'm', ...body });
    expect(answer).toMatchObject({ status: 400, json: { detail: expect.stringContaining(text) as string } });
    expect(stage.upstream.requests).toEqual([]);
  });
});

test.each<[object]>([
  [{ temperature: null, top_p: null, max_tokens: null, stop: null, tools: null, stream: null, seed: null }],
  [{ parallel_tool_calls: true, store: false, logprobs: false, service_tier: 'auto', n: 1 }],
  [{ metadata: null, modalities: null, response_format: null }],
])('options that are unset or have their default change nothing: %j', (options) => {
  const answered = { role: 'assistant', content: 'Hi.', refusal: null, audio: null, function_call: null };
  const plain = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const body = { ...plain, ...options, messages: [...plain.messages, { ...answered, annotations: [] }] };
  const bare = { ...plain, messages: [...plain.messages, { role: 'assistant', content: 'Hi.' }] };
  expect(toChatCall(getChatSchema(body).parse(body))).toEqual(toChatCall(getChatSchema(bare).parse(bare)));
});

const texts = fc.string({ minLength: 1 });
const turn = fc.record({ asked: texts, said: texts, results: fc.array(texts, { maxLength: 3 }) });

test('every text and every result of a history is kept, whatever ids its calls have', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.constantFrom('call_', ''), (turns, prefix) => {
      const messages = turns.flatMap(({ asked, said, results }) => [
        { role: 'user', content: asked },
        // The ids repeat in every turn, as some providers repeat them.
        {
          role: 'assistant',
          content: said,
          ...(results.length === 0 ? {} : { tool_calls: results.map((_, at) => createCall(`${prefix}${at}`)) }),
        },
        ...results.map((content, at) => ({ role: 'tool', tool_call_id: `${prefix}${at}`, content })),
      ]);
      const body = { model: 'm', messages };
      const translated = toChatCall(getChatSchema(body).parse(body));
      expect(chatCall.parse(translated)).toEqual(translated);
      expect(translated.messages.flatMap(listTexts)).toEqual(
        turns.flatMap(({ asked, said, results }) => [asked, said, ...results]),
      );
      const made = translated.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : [])),
      );
      const answered = translated.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])),
      );
      expect(new Set(made).size).toBe(made.length);
      expect(answered).toEqual(made);
    }),
  );
});

const createCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

function listTexts({ parts }: ReturnType<typeof toChatCall>['messages'][number]): string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    if (part.type !== 'tool_result') return [];
    return part.result.content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
  });
}
