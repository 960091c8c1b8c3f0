import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { request } from '../test-fixtures/requests.ts';
import { runtimeOver, WIRE_SCRIPTS } from '../test-fixtures/wires.ts';
import type { ObjectRequest } from '../types.ts';
import type { WireName } from '@toolyard/protocol';
import { checkSchema } from './check-schema.ts';
import { readLooseJson } from './repair-json.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
};

async function generate(
  wire: WireName,
  replies: readonly ModelReply[],
  of: JsonObject = schema,
  more: Partial<ObjectRequest> = {},
) {
  await using server = await startModelServer(replies);
  const { messages } = request('Who?');
  const runtime = runtimeOver(wire, server.url);
  const result = runtime.generateObject?.({ model: 'scripted', messages, name: 'person', schema: of, ...more });
  const outcome = await result?.catch((thrown: unknown) => thrown);
  return { outcome, requests: server.requests };
}

describe.each(WIRE_SCRIPTS)('an object over $wire', (script) => {
  const { wire } = script;
  const text = (content: string) => script.text(content);
  const calls = (...args: Parameters<typeof script.calls>) => script.calls(...args);

  test('by the native response format', async () => {
    const { outcome, requests } = await generate(wire, [text('{"name":"Ada"}')]);
    expect(outcome).toMatchObject({ object: { name: 'Ada' }, by: 'native' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.text).toMatch(/json_schema|responseJsonSchema/);
  });

  test('as a plain answer, if the format is rejected', async () => {
    const refusal = reply.error(400, {
      error: {
        message: 'response_format, text.format, output_config and responseJsonSchema are not supported',
        code: 400,
      },
    });
    const { outcome } = await generate(wire, [refusal, text('Sure!\n```json\n{"name": "Ada",}\n```')]);
    expect(outcome).toMatchObject({ object: { name: 'Ada' }, by: 'text' });
  });

  test('as a tool call, if the answer does not match', async () => {
    const { outcome, requests } = await generate(wire, [
      text('{"age":3}'),
      calls([{ id: 'c', name: 'person', arguments: { name: 'Ada', age: 3 } }]),
    ]);
    expect(outcome).toMatchObject({ object: { name: 'Ada', age: 3 }, by: 'tool' });
    expect(requests[1]?.text).toContain('"person"');
  });

  test('by a prompt with the previous error, at last', async () => {
    const { outcome, requests } = await generate(wire, [text('no'), text('{"age":1}'), text('{"name":"Ada"}')]);
    expect(outcome).toMatchObject({ object: { name: 'Ada' }, by: 'text' });
    expect(requests[2]?.text).toContain('does not have required property');
  });

  test('fails with the reason if no answer matches', async () => {
    const { outcome } = await generate(wire, [text('a'), text('b'), text('{"name":7}')]);
    expect(outcome).toMatchObject({
      code: 'bad_response',
      message: expect.stringContaining('"name": Instance type "number" is invalid. Expected "string".'),
    });
  });

  test('fails on a server error without trying other methods', async () => {
    const { outcome, requests } = await generate(wire, [reply.error(401, 'no')]);
    expect(outcome).toMatchObject({ code: 'invalid_key' });
    expect(requests).toHaveLength(1);
  });

  test('reads a bare answer with the first request, if the caller can read one', async () => {
    const fromText = (answer: string): JsonValue | undefined =>
      answer.includes('Ada') ? { name: 'Ada' } : answer.includes('7') ? { name: 7 } : undefined;
    const bare = await generate(wire, [text('"Ada"')], schema, { fromText });
    expect(bare.outcome).toMatchObject({ object: { name: 'Ada' } });
    expect(bare.requests).toHaveLength(1);
    // What it reads has to match the schema as well.
    const other = await generate(wire, [text('7'), text('I do not know.'), text('Her name is Ada.')], schema, {
      fromText,
    });
    expect(other.outcome).toMatchObject({ object: { name: 'Ada' } });
    expect(other.requests).toHaveLength(3);
  });

  test('wraps a list, which tool arguments cannot be', async () => {
    const of = { type: 'array', items: { type: 'number' } };
    const { outcome } = await generate(
      wire,
      [text('no'), calls([{ id: 'c', name: 'person', arguments: { value: [1, 2] } }])],
      of,
    );
    expect(outcome).toMatchObject({ object: [1, 2], by: 'tool' });
  });
});

test('gives a model that reasons anyway more room after it reached the output limit without text', async () => {
  const spent = reply.text('', { finish: 'length' });
  const limits = { parameters: { maxOutputTokens: 60 }, maxReasoningTokens: 2_000 };
  const requestLimits = async (replies: readonly ModelReply[], more: Partial<ObjectRequest>): Promise<unknown[]> => {
    const { requests } = await generate('openai-chat', replies, schema, more);
    return requests.flatMap(({ body }) =>
      isJsonObject(body) ? [body['max_tokens'] ?? body['max_completion_tokens']] : [],
    );
  };
  expect(await requestLimits([spent, reply.text('{"name":"Ada"}')], limits)).toEqual([60, 2_000]);
  expect(await requestLimits([reply.text('no'), reply.text('{"name":"Ada"}')], limits)).toEqual([60, 60]);
  // A limit that a caller sets is kept.
  expect(await requestLimits([spent, reply.text('{"name":"Ada"}')], { parameters: { maxOutputTokens: 60 } })).toEqual([
    60, 60,
  ]);
});

test.each<[string, JsonValue | undefined]>([
  ['{"a":1}', { a: 1 }],
  ['Here you are: {"a":1}. Anything else?', { a: 1 }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  ['{"a": 1, "b": [1, 2,],}', { a: 1, b: [1, 2] }],
  ['{"a": "x\ny"}', { a: 'x\ny' }],
  ['{"a": 1, // one\n "b": /* two */ 2}', { a: 1, b: 2 }],
  ['{"a": True, "b": None, "c": False}', { a: true, b: null, c: false }],
  ['{"a": "it\\\'s True, // not a comment, }"}', { a: "it's True, // not a comment, }" }],
  ['{"a": [1, {"b": "cut of', { a: [1, { b: 'cut of' }] }],
  ['{"a": 1, "b":', { a: 1, b: null }],
  ['[1, 2', [1, 2]],
  ['nothing of the kind', undefined],
  ['', undefined],
])('reads %j as %j', (text, value) => {
  expect(readLooseJson(text)).toEqual(value);
});

test('terminates on a megabyte of opening brackets', () => {
  expect(readLooseJson('[{"a":'.repeat(100_000).slice(0, 20_000))).toBeDefined();
});

test.each<[JsonObject, JsonValue, boolean]>([
  [{ type: 'object', required: ['a'] }, {}, false],
  [{ type: ['string', 'null'] }, null, true],
  [{ enum: ['a', { b: 1 }] }, { b: 1 }, true],
  [{ const: 1 }, 2, false],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true, false],
  [{ type: 'array', items: { type: 'integer' } }, [1, 1.5], false],
  [{ type: 'object', properties: {}, additionalProperties: false }, { a: 1 }, false],
  [{ type: 'string', maxLength: 2 }, 'abc', false],
  [{ type: 'number', minimum: 3 }, 3, true],
  [{ $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n' } } }, { a: 'x' }, false],
  [{ $ref: '#' }, 1, true],
  [{ $ref: 'https://example.org/schema' }, 1, true],
  [{ properties: { a: { $ref: 'https://example.org/schema' }, b: { type: 'number' } } }, { a: 1, b: 'x' }, false],
  [{ type: 'string', pattern: '^b', format: 'uri' }, 'a', true],
  [{ oneOf: [{ type: 'number' }, { minimum: 3 }] }, 4, false],
])('the schema %j accepts %j: %j', (of, value, fits) => {
  expect(checkSchema(of, value) === null).toBe(fits);
});
