import { isJsonObject } from '@toolyard/protocol';
import { anthropicReply, reply, startModelServer } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { collect, request, textIn } from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest } from '../types.ts';

describe('fallback after a rejected request', () => {
  const refusal = (message: string) =>
    reply.error(400, { type: 'error', error: { type: 'invalid_request_error', message } });

  async function after(message: string, more: Partial<ChatRequest> = {}) {
    await using server = await startModelServer([refusal(message), anthropicReply('ok'), anthropicReply('ok')]);
    const runtime = runtimeOver('anthropic-messages', server.url);
    const parts = await collect(runtime, request('hi', { model: 'claude-sonnet-4-5', ...more }));
    await collect(runtime, request('hi', { model: 'claude-sonnet-4-5', ...more }));
    expect(textIn(parts)).toBe('ok');
    const bodies = server.requests.map(({ body: sent }) => (isJsonObject(sent) ? sent : {}));
    return { parts, bodies };
  }

  test('learns the output token limit', async () => {
    const { bodies } = await after('max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens');
    expect(bodies.map((sent) => sent['max_tokens'])).toEqual([32_000, 8192, 8192]);
  });

  test('omits cache markers', async () => {
    const { bodies, parts } = await after('messages.0.content.0.cache_control: Extra inputs are not permitted');
    expect(bodies.map((sent) => JSON.stringify(sent).includes('cache_control'))).toEqual([true, false, false]);
    expect(parts.some((part) => part.type === 'notice')).toBe(false);
  });

  test('omits thinking within a turn that began without it', async () => {
    const message =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, ...';
    const { bodies, parts } = await after(message, { parameters: { reasoningEffort: 'low' } });
    expect(bodies.map((sent) => 'thinking' in sent)).toEqual([true, false, false]);
    expect(parts[0]).toMatchObject({ type: 'notice' });
  });

  test('switches to the form of thinking the model supports', async () => {
    const message = '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"';
    const { bodies, parts } = await after(message, { parameters: { reasoningEffort: 'low' } });
    expect(bodies.map((sent) => 'thinking' in sent)).toEqual([true, false, false]);
    expect(parts[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('reasoning effort') });
  });
});

test('lists models over all pages', async () => {
  await using server = await startModelServer([], {
    models: reply.json({ data: [{ id: 'a', type: 'model', max_input_tokens: 5 }], has_more: true, last_id: 'a' }),
  });
  const models = await runtimeOver('anthropic-messages', server.url).models();
  expect(models).toEqual([{ id: 'a', contextWindow: 5 }]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/v1/models?limit=1000',
    '/v1/models?limit=1000&after_id=a',
  ]);
});

test('reports unsupported operations', async () => {
  const runtime = runtimeOver('anthropic-messages', 'http://127.0.0.1:9');
  await expect(runtime.embeddings?.({ model: 'm', input: ['a'] })).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('Anthropic messages API'),
  });
});
