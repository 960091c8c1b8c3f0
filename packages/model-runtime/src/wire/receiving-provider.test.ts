import { isJsonObject, type JsonObject, type Message } from '@toolyard/protocol';
import { reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { assistant, call, collect, errorIn, request, result, textIn, tool, user } from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ModelRuntimeOptions } from '../create-runtime.ts';
import type { ChatRequest } from '../types.ts';

const tools = [tool('f')];
const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;

function readMessages(body: unknown): JsonObject[] {
  const messages = isJsonObject(body) ? body['messages'] : null;
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

const answers = (body: unknown) => readMessages(body).filter(({ role }) => role === 'assistant');

/** A server that rejects requests for the reason that `problem` returns. */
async function ask(
  problem: (messages: JsonObject[]) => string | null,
  histories: readonly Message[][],
  options: Partial<ModelRuntimeOptions> = {},
  more: Partial<ChatRequest> = {},
) {
  await using server = await startModelServer(({ body }): ModelReply => {
    const message = problem(readMessages(body));
    return message === null ? reply.text('answered') : reply.error(400, message);
  });
  const runtime = runtimeOver('openai-chat', server.url, options);
  const parts = [];
  for (const messages of histories) parts.push(await collect(runtime, request(messages, { tools, ...more })));
  return { parts, bodies: server.requests.map(({ body }) => body) };
}

describe('a history that only one provider rejects', () => {
  const called = [user('a'), assistant(call('c1', 'f', {}, 'own_1')), result('c1', 'f', 'r')];
  const steered = [...called, user('b')];
  const own = assistant(
    { type: 'reasoning', text: 'Hm.', signature: 'openai-chat:{"field":"reasoning"}' },
    call('c1', 'f', {}, 'own_1'),
  );
  const isNullContent = (each: JsonObject) => each['role'] === 'assistant' && each['content'] === null;
  const isAfterResult = ({ role }: JsonObject, at: number, all: JsonObject[]) =>
    role === 'user' && all[at - 1]?.['role'] === 'tool';
  const hasCalls = (each: JsonObject) => each['tool_calls'] !== undefined || each['role'] === 'tool';
  const hasReasoning = (each: JsonObject) => 'reasoning' in each;
  type IsRejected = (message: JsonObject, at: number, all: JsonObject[]) => boolean;

  test.each<[string, Message[], IsRejected, Partial<ChatRequest>]>([
    ['messages[1].content: Input should be a valid string', called, isNullContent, {}],
    ["Invalid value for 'content': expected a string, got null.", called, isNullContent, {}],
    ["'content' is a required property - 'messages.1'", called, isNullContent, {}],
    ["Unexpected role 'user' after role 'tool'", steered, isAfterResult, {}],
    ['After a tool message, the next role must be assistant or tool, not user', steered, isAfterResult, {}],
    ['tool calling needs the parameter `tools`', steered, hasCalls, { tools: [] }],
    ['Bad request', steered, hasCalls, { tools: [] }],
    [
      "'messages.1' : property 'reasoning' is unsupported",
      [user('a'), own, result('c1', 'f', 'r')],
      hasReasoning,
      { parameters: { reasoningEffort: 'low' } },
    ],
  ])('is sent as it accepts it after %j, from then on', async (message, history, isRejected, more) => {
    const { parts, bodies } = await ask(
      (messages) => (messages.some(isRejected) ? message : null),
      [history, [...history, assistant('answered'), user('c')]],
      {},
      more,
    );
    expect(parts.map(textIn)).toEqual(['answered', 'answered']);
    expect(parts.flat().filter(({ type }) => type === 'notice')).toEqual([]);
    expect(bodies).toHaveLength(3);
    expect(JSON.stringify(bodies[2])).toContain(more.tools === undefined ? '"tool_calls"' : 'answered');
    if (more.parameters !== undefined) expect(JSON.stringify(bodies[2])).toContain('reasoning_effort');
  });

  test('keeps its tools in later requests that have some', async () => {
    const reject = (messages: JsonObject[]) => (messages.some(hasCalls) ? 'no calls without tools' : null);
    const { bodies } = await ask(reject, [steered], {}, { tools: [] });
    expect(bodies.map((body) => JSON.stringify(body).includes('tool_calls'))).toEqual([true, false]);
    const { bodies: later } = await ask(() => null, [steered], { quirks: { answersResults: true } });
    expect(readMessages(later[0]).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });
});

describe('reasoning of earlier answers', () => {
  const own = assistant(
    { type: 'reasoning', text: 'It is cold.', signature: 'openai-chat:{"field":"reasoning_content"}' },
    call('c1', 'f', {}, 'own_1'),
  );
  const others = { ...assistant({ type: 'reasoning', text: 'secret' }, call('c2', 'f')), model: 'another' };
  const history = [user('a'), own, result('c1', 'f', 'r'), user('b'), others, result('c2', 'f', 'r'), user('c')];
  const listFields = (body: unknown) => answers(body).map((each) => each['reasoning_content']);
  const lacking = (messages: JsonObject[]) =>
    messages.some((each) => each['tool_calls'] !== undefined && typeof each['reasoning_content'] !== 'string')
      ? 'messages[1]: reasoning_content is required'
      : null;

  test('is sent with every call after a rejection without it, the own one as it was, and remembered', async () => {
    const { parts, bodies } = await ask(lacking, [history, history]);
    expect(parts.map(textIn)).toEqual(['answered', 'answered']);
    expect(bodies.map(listFields)).toEqual([
      [undefined, undefined],
      ['It is cold.', '(no reasoning was kept)'],
      ['It is cold.', '(no reasoning was kept)'],
    ]);
    expect(JSON.stringify(bodies)).not.toContain('secret');
  });

  test('is sent at once to a provider that is known to require it', async () => {
    const { bodies } = await ask(lacking, [history], { quirks: { reasoningInCalls: true } });
    expect(bodies).toHaveLength(1);
  });

  test('is not sent to a server that rejects it', async () => {
    const rejecting = (messages: JsonObject[]) =>
      messages.some((each) => 'reasoning_content' in each) ? 'Extra inputs: reasoning_content' : null;
    const { parts, bodies } = await ask(rejecting, [[user('a'), own, result('c1', 'f', 'r')], history]);
    expect(parts.map(textIn)).toEqual(['answered', 'answered']);
    expect(bodies.map(listFields)).toEqual([['It is cold.'], [undefined], [undefined, undefined]]);
  });
});

describe('call ids', () => {
  const history = [user('a'), assistant(call('c1', 'f', {}, 'call_1')), result('c1', 'f', 'r'), user('b')];
  const listIds = (body: unknown) =>
    readMessages(body).flatMap(({ tool_calls: calls, tool_call_id: id }) => [
      ...(Array.isArray(calls) ? calls.map((each) => (isJsonObject(each) ? each['id'] : null)) : []),
      ...(id === undefined ? [] : [id]),
    ]);
  const strict = (messages: JsonObject[]) =>
    listIds({ messages }).some((id) => typeof id !== 'string' || !/^[A-Za-z0-9]{9}$/.test(id))
      ? 'Invalid value: call_1'
      : null;

  test('that a server rejects are replaced, equally in all later requests', async () => {
    const { parts, bodies } = await ask(strict, [history, [...history, assistant('answered'), user('c')]]);
    expect(parts.map(textIn)).toEqual(['answered', 'answered']);
    expect(bodies).toHaveLength(3);
    expect(listIds(bodies[0])).toEqual(['call_1', 'call_1']);
    expect(listIds(bodies[2])).toEqual(listIds(bodies[1]));
  });

  test('of another model are replaced before they are sent', async () => {
    const others = history.map((message) =>
      message.role === 'assistant' ? { ...message, model: 'another' } : message,
    );
    const { bodies } = await ask(strict, [others]);
    expect(bodies).toHaveLength(1);
  });
});

describe('attachments that a server rejects', () => {
  const reject = (messages: JsonObject[]) =>
    JSON.stringify(messages).includes('image_url') ? 'unknown variant `image_url`, expected `text`' : null;

  test('are replaced by notes, in results too, and the user is notified', async () => {
    const history = [
      user('look', png),
      assistant(call('c1', 'f')),
      result('c1', 'f', { content: [{ type: 'text', text: 'shot' }, png] }),
    ];
    const { parts, bodies } = await ask(reject, [history, [...history, assistant('answered'), user('and now?')]]);
    expect(parts.map(textIn)).toEqual(['answered', 'answered']);
    expect(parts[0]).toContainEqual(expect.objectContaining({ type: 'notice', code: 'media_left_out' }));
    expect(parts[1]?.some(({ type }) => type === 'notice')).toBe(false);
    expect(bodies).toHaveLength(3);
    expect(JSON.stringify(bodies[1])).toContain('[image, image/png: the model server rejected it]');
    expect(JSON.stringify(bodies[1])).toContain('shot');
  });

  test.each<[status: number, message: string]>([
    [400, 'The file could not be processed'],
    [400, 'Error while downloading https://example.org/a.png'],
    [400, '图片输入格式/解析错误'],
    [404, 'No endpoints found that support image input'],
    [415, 'Unsupported media type image/png'],
    [422, 'messages.0.content.str: Input should be a valid string'],
    [500, 'image input is not supported - hint: you may need to provide the mmproj'],
    [500, 'failed to process inputs: image: unknown format'],
    [501, 'image input is not implemented'],
  ])('are recognized by the words of the server: %s %s', async (status, message) => {
    await using server = await startModelServer(({ text }) =>
      text.includes('image_url') ? reply.error(status, { error: { message } }) : reply.text('answered'),
    );
    const parts = await collect(runtimeOver('openai-chat', server.url), request([user('look', png)]));
    expect(textIn(parts)).toBe('answered');
  });

  test.each<[status: number, message: string]>([
    [401, 'no key for images'],
    [429, 'too many images'],
    [503, 'the image service is overloaded'],
  ])('are no cause of a failure of another kind: %s %s', async (status, message) => {
    await using server = await startModelServer(() => reply.error(status, { error: { message } }));
    const parts = await collect(runtimeOver('openai-chat', server.url), request([user('look', png)]));
    expect(errorIn(parts).code).not.toBe('bad_request');
    expect(server.requests).toHaveLength(1);
  });

  test('do not hide later ones, which are sent', async () => {
    const first = [user('look', png)];
    let isFirst = true;
    const once = (messages: JsonObject[]) => {
      const message = isFirst ? reject(messages) : null;
      isFirst = false;
      return message;
    };
    const { bodies } = await ask(once, [first, [...first, assistant('answered'), user('this one', png)]]);
    expect(JSON.stringify(bodies.at(-1)).match(/image_url"/g)).not.toBeNull();
  });

  test('are no cause of an error that does not name them', async () => {
    const { parts, bodies } = await ask(() => 'temperature is too high', [[user('look', png)]]);
    expect(errorIn(parts[0] ?? [])).toMatchObject({ code: 'bad_request' });
    // Other forms of the request are tried, but none without its image.
    expect(bodies.every((body) => JSON.stringify(body).includes('image_url'))).toBe(true);
    expect(parts[0]?.some(({ type }) => type === 'notice')).toBe(false);
  });
});
