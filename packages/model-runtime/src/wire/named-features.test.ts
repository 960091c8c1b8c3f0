import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as converseDialect } from '../bedrock-converse/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { notices, openAi, server, toolNames } from '../test-fixtures/rejecting-server.ts';
import { assistant, errorIn, request, system, textIn, tool, user } from '../test-fixtures/requests.ts';
import type { ChatRequest } from '../types.ts';
import { SYSTEM_ROLE } from './system-role.ts';

describe('a rejected request', () => {
  test.each<[JsonObject, ChatRequest['parameters'], string]>([
    [openAi('Unrecognized request argument supplied: topK'), { topK: 3 }, 'top_k'],
    [openAi('topP is not allowed'), { topP: 1 }, 'top_p'],
    [openAi('Unknown name "Top K"'), { topK: 3 }, 'top_k'],
    [openAi('presence-penalty unsupported'), { presencePenalty: 1 }, 'presence_penalty'],
    [
      openAi('Extra inputs are not permitted', { param: 'generation_config.frequencyPenalty' }),
      { frequencyPenalty: 1 },
      'frequency_penalty',
    ],
    [openAi('Temperature must be 1'), { temperature: 0 }, 'temperature'],
    [openAi('stopSequences: too many'), { stop: ['x'] }, 'stop'],
    [openAi('maxOutputTokens is unknown'), { maxOutputTokens: 5 }, 'max_tokens'],
    [openAi('This model does not support thinking'), { reasoningEffort: 'high' }, 'reasoning_effort'],
    [
      { detail: [{ loc: ['body', 'topK'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }] },
      { topK: 3 },
      'top_k',
    ],
  ])('leaves out the setting that %j names, in any spelling', async (error, parameters, field) => {
    const { bodies, ask } = server((body) => (body[field] === undefined ? null : { status: 400, error }));
    const other = field === 'temperature' ? { seed: 1 } : { temperature: 0.5 };
    const ways = { parameters: { ...parameters, ...other } };
    expect(notices(await ask(ways), 'setting_left_out')).toHaveLength(1);
    await ask(ways);
    expect(bodies.map((body) => body[field] !== undefined)).toEqual([true, false, false]);
    expect(bodies.every((body) => body[Object.keys(other)[0] ?? ''] !== undefined)).toBe(true);
  });

  test.each<[string, string, Partial<ChatRequest>, string[]]>([
    [
      'Bad request',
      'temperature',
      { parameters: { temperature: 0 } },
      ['scripted at Fake rejected the temperature, so it was left out: Bad request'],
    ],
    [
      'Bad request',
      'top_k',
      { parameters: { topK: 1, seed: 1, maxOutputTokens: 5 } },
      ['scripted at Fake accepted the request only without these settings: top-k, seed. Reason: Bad request'],
    ],
    [
      'Extra inputs are not permitted',
      'top_k',
      { parameters: { topK: 1 }, tools: [tool('f')] },
      [
        'scripted at Fake accepted the request only without these settings: top-k. Reason: Extra inputs are not permitted',
      ],
    ],
    [
      'Bad request',
      'reasoning_effort',
      { parameters: { reasoningEffort: 'low', extra: { x: 1 } } },
      [
        'scripted at Fake accepted the request only without these settings: extra field "x", reasoning effort. Reason: Bad request',
      ],
    ],
  ])('that %j says nothing about is repeated without its settings', async (message, field, more, expected) => {
    const clock = createFakeClock();
    const { bodies, ask } = server(
      (body) => (body[field] === undefined ? null : { status: 400, error: openAi(message) }),
      { clock },
    );
    const parts = await ask(more);
    expect(textIn(parts)).toBe('answered');
    expect(notices(parts)).toEqual(expected);
    expect(bodies.at(-1)?.['max_tokens']).toBe(more.parameters?.maxOutputTokens);
    const { length } = bodies;
    await ask(more);
    expect(bodies).toHaveLength(length + 1);
    // Which of several it was is not known, so they are tried again.
    await clock.advance(11 * 60_000);
    await ask(more);
    expect(bodies.length > length + 2).toBe(expected[0]?.includes('only without'));
  });

  test('keeps its settings if a tool is rejected', async () => {
    const { bodies, ask } = server((body) =>
      body['tools'] === undefined ? null : { status: 400, error: openAi('json_schema of tools: invalid') },
    );
    const when = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const complex = tool('a', { inputSchema: { type: 'object', properties: { when } } });
    await ask({ tools: [complex], parameters: { temperature: 0 }, responseFormat: { type: 'json' } });
    expect(bodies.map((body) => body['temperature'])).toEqual([0, 0, 0]);
    expect(bodies.at(-1)?.['response_format']).toBeDefined();
  });
});

describe('the system message', () => {
  const messages = [system('Be kind.'), user('hi')];
  const roles = (body: JsonObject | undefined): JsonValue[] =>
    Array.isArray(body?.['messages'])
      ? body['messages'].map((each) => (isJsonObject(each) ? (each['role'] ?? '') : ''))
      : [];

  test.each<[number, JsonObject | string]>([
    [400, openAi('System role not supported')],
    [500, 'chat template error: System role not supported'],
    [
      400,
      openAi("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
        param: 'messages[0].role',
      }),
    ],
    [
      422,
      {
        detail: [{ loc: ['body', 'messages', 0, 'role'], msg: "Input should be 'user' or 'assistant'", type: 'enum' }],
      },
    ],
    [400, openAi('Only user and assistant roles are supported!')],
    [400, openAi('Conversation roles must alternate user/assistant/user/assistant/...')],
    [400, openAi("unknown role 'system'")],
    [400, openAi('Developer instruction is not enabled for this model')],
    [400, openAi("This model doesn't support system messages. Try again without a system prompt.")],
    [200, { error: { code: 400, message: 'system prompts are not allowed' } }],
  ])('is sent in the first message of the user after HTTP %i %j, from then on', async (status, error) => {
    const { bodies, ask } = server((body) => (roles(body).includes('system') ? { status, error } : null));
    const more = { messages, tools: [tool('f')] };
    const parts = await ask(more);
    expect(textIn(parts)).toBe('answered');
    expect(notices(parts)).toEqual([]);
    await ask({ messages: [...messages, assistant('a'), user('b')] });
    await ask({ ...more, toolMode: 'text' });
    expect(bodies.map(roles)).toEqual([['system', 'user'], ['user'], ['user', 'assistant', 'user'], ['user']]);
    expect(bodies[1]?.['messages']).toEqual([{ role: 'user', content: 'Be kind.\n\nhi' }]);
    expect(toolNames(bodies[1])).toEqual(['f']);
    expect(JSON.stringify(bodies[3])).toContain('Does f.');
    await ask({ ...more, model: 'another' });
    expect(roles(bodies[4])).toEqual(['system', 'user']);
  });

  test.each([
    openAi('The system is overloaded'),
    openAi("messages with role 'tool' must be a response to a preceding message"),
    openAi('messages.1.role: wrong'),
  ])('stays where it is if the error is about something else: %j', async (error) => {
    const { bodies, ask } = server(() => ({ status: 500, error }));
    errorIn(await ask({ messages }));
    expect(bodies.map(roles)).toEqual([['system', 'user']]);
  });

  test('stays where it is in later requests if that did not help', async () => {
    const { bodies, ask } = server(() => ({ status: 400, error: openAi('roles must alternate') }));
    errorIn(await ask({ messages }));
    errorIn(await ask({ messages }));
    expect(bodies.map(roles)).toEqual([['system', 'user'], ['user'], ['system', 'user'], ['user']]);
  });

  test('is tried there last if the error says nothing', async () => {
    const { bodies, ask } = server((body) =>
      roles(body).includes('system') ? { status: 400, error: openAi('Bad request') } : null,
    );
    const more = { messages, parameters: { temperature: 0 } };
    expect(notices(await ask(more))).toEqual([]);
    await ask(more);
    expect(bodies.map(roles)).toEqual([['system', 'user'], ['system', 'user'], ['user'], ['user']]);
    expect(bodies.map((body) => body['temperature'])).toEqual([0, undefined, 0, 0]);
  });

  test.each([chatDialect(), responsesDialect(), anthropicDialect(), geminiDialect(), converseDialect()])(
    'has no field in $wire after a rejection',
    (dialect) => {
      const writeBody = (without: string[], of = messages): string =>
        dialect.chat(request(of, { tools: [tool('f')], toolMode: 'text' }), new Set(without)).body;
      expect(writeBody([])).toMatch(/"role":"system"|"system":|"systemInstruction":|"instructions":/);
      const sent = writeBody([SYSTEM_ROLE]);
      expect(sent).not.toMatch(/"role":"system"|"system":|"systemInstruction":|"instructions":/);
      expect(sent).toMatch(/Be kind\..*Does f\..*hi/);
      expect(writeBody([SYSTEM_ROLE])).toBe(sent);
    },
  );
});
