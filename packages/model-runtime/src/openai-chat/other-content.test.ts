import type { JsonObject, Message, ReasoningEffort } from '@toolyard/protocol';
import { reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { assistant, call, collect, request, result, textIn, tool, user } from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest, StreamPart } from '../types.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { toOutgoing } from './request.ts';

function body(
  messages: Message[] | string,
  more: Partial<ChatRequest> = {},
  quirks: OpenAiChatQuirks = {},
): JsonObject {
  return JSON.parse(toOutgoing(request(messages, more), quirks, new Set()).body) as JsonObject;
}

async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}) {
  await using server = await startModelServer([scripted]);
  return await collect(runtimeOver('openai-chat', server.url), request('hi', more));
}

const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({ choices: [{ index: 0, delta }], ...more });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const tools = [tool('f')];

describe('settings', () => {
  test('sends tool choice and response format', () => {
    expect(body('hi', { tools, toolChoice: 'required' })['tool_choice']).toBe('required');
    expect(body('hi', { tools, toolChoice: { name: 'f' } })['tool_choice']).toEqual({
      type: 'function',
      function: { name: 'f' },
    });
    expect(body('hi', { responseFormat: { type: 'json' } })['response_format']).toEqual({ type: 'json_object' });
    const schema = { type: 'object' };
    expect(body('hi', { responseFormat: { type: 'json_schema', name: 'n', schema } })['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'n', schema },
    });
  });

  test.each<[string, ReasoningEffort, OpenAiChatQuirks, JsonObject]>([
    ['gpt-5', 'none', {}, { reasoning_effort: 'minimal' }],
    ['openai/gpt-oss-120b', 'max', {}, { reasoning_effort: 'high' }],
    ['some-model', 'xhigh', {}, { reasoning_effort: 'xhigh' }],
    ['some-model', 'low', { reasoning: 'reasoning' }, { reasoning: { effort: 'low' } }],
    ['glm-5', 'none', { reasoning: 'thinking' }, { thinking: { type: 'disabled' } }],
    ['qwen3', 'high', { reasoning: 'enable_thinking' }, { enable_thinking: true }],
    ['qwen3', 'none', { reasoning: 'chat_template_kwargs' }, { chat_template_kwargs: { enable_thinking: false } }],
  ])('%s thinks %s', (model, reasoningEffort, quirks, field) => {
    expect(body('hi', { model, parameters: { reasoningEffort } }, quirks)).toMatchObject(field);
  });

  test('omits settings the model is known to reject, with a notice', () => {
    const outgoing = toOutgoing(
      request('hi', { model: 'o3', parameters: { temperature: 0.2, seed: 1 } }),
      {},
      new Set(),
    );
    expect(outgoing.body).not.toContain('temperature');
    expect(outgoing.omittedSettings).toEqual(['temperature']);
  });

  test('learns the new name of the token limit', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const refusal = reply.error(400, { error: { message, param: 'max_tokens', code: 'unsupported_parameter' } });
    await using server = await startModelServer([refusal, reply.text('ok'), reply.text('ok')]);
    const runtime = runtimeOver('openai-chat', server.url);
    const chatRequest = request('hi', { parameters: { maxOutputTokens: 9 } });
    expect((await collect(runtime, chatRequest)).some((part) => part.type === 'notice')).toBe(false);
    await collect(runtime, chatRequest);
    expect(server.requests.map(({ text }) => /"max_completion_tokens":9/.test(text))).toEqual([false, true, true]);
    expect(server.requests[2]?.text).not.toContain('max_tokens');
  });

  test('omits tool choice if the server does not support it', async () => {
    const refusal = reply.error(400, { error: { message: 'tool_choice is not supported', code: null } });
    await using server = await startModelServer([refusal, reply.text('ok')]);
    const parts = await collect(
      runtimeOver('openai-chat', server.url),
      request('hi', { tools, toolChoice: 'required' }),
    );
    expect(parts[0]).toMatchObject({ type: 'notice', code: 'setting_left_out' });
    expect(server.requests.map(({ text }) => text.includes('tool_choice'))).toEqual([true, false]);
  });

  test('stops retrying if the server keeps rejecting settings', async () => {
    let requestCount = 0;
    await using server = await startModelServer(() => {
      requestCount += 1;
      return reply.error(400, {
        error: { message: 'temperature top_p top_k max_tokens seed stop stream_options tool_choice' },
      });
    });
    const parameters = {
      temperature: 1,
      topP: 1,
      topK: 1,
      maxOutputTokens: 1,
      seed: 1,
      stop: ['x'],
      presencePenalty: 1,
    };
    const parts = await collect(
      runtimeOver('openai-chat', server.url),
      request('hi', { tools, toolChoice: 'none', parameters }),
    );
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'bad_request' } });
    expect(requestCount).toBeLessThan(12);
  });
});

describe('content besides text', () => {
  test('images', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklGRgAAAABXRUJQ' } };
    const parts = await ask(reply.events([chunk({ content: 'Here:', images: [image] }), finish, '[DONE]']));
    expect(parts).toContainEqual({ type: 'image', mimeType: 'image/webp', source: { data: 'UklGRgAAAABXRUJQ' } });
  });

  test('citations, in each known form, once', async () => {
    const note = { type: 'url_citation', url_citation: { url: 'https://example.org/a', title: 'A' } };
    const parts = await ask(
      reply.events([
        chunk({ content: 'x', annotations: [note, note] }),
        chunk({ content: 'y' }, { citations: ['https://example.org/b'] }),
        chunk({ content: 'z' }, { citations: ['https://example.org/b', 'javascript:alert(1)'] }),
        finish,
        '[DONE]',
      ]),
    );
    expect(parts.filter((part) => part.type === 'citation')).toEqual([
      { type: 'citation', url: 'https://example.org/a', title: 'A' },
      { type: 'citation', url: 'https://example.org/b' },
    ]);
  });
});

test.each<[string, JsonObject[]]>([
  ['an object', [{ reasoning: { text: 'Let ' } }, { reasoning: { text: 'me.' } }]],
  ['an object with content', [{ reasoning_content: { content: [{ type: 'text', text: 'Let me.' }] } }]],
  ['a list', [{ reasoning: [{ text: 'Let ' }, 'me.'] }]],
  ['a summary', [{ reasoning: { summary: [{ type: 'summary_text', text: 'Let me.' }] } }]],
  ['blocks', [{ thinking_blocks: [{ type: 'thinking', thinking: 'Let me.', signature: 's' }] }]],
  [
    'a field and blocks',
    [{ reasoning_content: 'Let me.', thinking_blocks: [{ type: 'thinking', thinking: 'Let me.' }] }],
  ],
  [
    'details',
    [{ reasoning_details: [{ type: 'reasoning.text', text: 'Let ' }] }, { reasoning_details: [{ text: 'me.' }] }],
  ],
  ['one detail', [{ reasoning_details: { type: 'reasoning.summary', summary: 'Let me.' } }]],
  ['details and a field', [{ reasoning: 'Let me.', reasoning_details: [{ text: 'Let me.' }] }]],
  [
    'a field after a blank one',
    [
      { reasoning_content: '\n', reasoning: 'Let ' },
      { reasoning_content: ' ', reasoning: 'me.' },
    ],
  ],
  ['a field after an empty object', [{ reasoning_content: {}, reasoning: 'Let me.' }]],
  ['a field after null', [{ reasoning_content: null, thinking: 'Let me.' }]],
  ['pieces with a blank one', [{ reasoning: 'Let' }, { reasoning: ' ', reasoning_content: ' ' }, { reasoning: 'me.' }]],
  ['an item of the content', [{ content: [{ type: 'reasoning', reasoning: { text: 'Let me.' } }] }]],
])('reasoning that comes as %s is shown once', async (_, deltas) => {
  const whole = Object.assign({}, ...deltas, { content: 'yes' }) as JsonObject;
  const last = { choices: [{ index: 0, message: whole, finish_reason: 'stop' }] };
  for (const end of [finish, last]) {
    const parts = await ask(reply.events([...deltas.map((each) => chunk(each)), chunk({ content: 'yes' }), end]));
    expect(parts.filter(({ type }) => type === 'text' || type === 'reasoning')).toEqual([
      { type: 'reasoning', text: 'Let me.' },
      { type: 'text', text: 'yes' },
    ]);
  }
});

describe('replay of reasoning within the turn', () => {
  /** The answer with a call as the conversation stores it. */
  function toStoredMessage(parts: readonly StreamPart[]): Message {
    const out: Parameters<typeof assistant>[number][] = [];
    for (const part of parts) {
      if (part.type === 'reasoning') out.push({ type: 'reasoning', text: part.text });
      else if (part.type === 'text') out.push(part.text);
      else if (part.type === 'reasoning_signature') {
        const last = out.at(-1);
        if (typeof last === 'object' && last.type === 'reasoning') last.signature = part.signature;
        else out.push({ type: 'reasoning', text: '', signature: part.signature });
      } else if (part.type === 'tool_call') out.push(call(`c${part.index}`, part.name, part.arguments ?? {}, part.id));
    }
    return assistant(...out);
  }

  async function replayedMessage(answer: ModelReply, model = 'scripted', after: Message[] = []) {
    const message = toStoredMessage(await ask(answer, { tools }));
    const messages = body([user('hi'), message, result('c0', 'f', 'r'), ...after], { model, tools })['messages'];
    return (messages as JsonObject[])[1];
  }

  test.each(['reasoning_content', 'reasoning'] as const)('in the field it arrived in: %s', async (reasoningField) => {
    const answer = reply.toolCalls([{ id: 'i', name: 'f', arguments: {} }], {
      reasoning: 'Let me think.',
      reasoningField,
      text: 'So.',
    });
    expect((await replayedMessage(answer))?.[reasoningField]).toBe('Let me think.');
    expect(await replayedMessage(answer, 'another')).not.toHaveProperty(reasoningField);
    expect(await replayedMessage(answer, 'scripted', [assistant('Done.'), user('next')])).not.toHaveProperty(
      reasoningField,
    );
  });

  test('as details that arrived in pieces', async () => {
    const detail = (more: JsonObject) =>
      chunk({ reasoning: 'x', reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
    const answer = reply.events([
      detail({ text: 'Let me ', format: 'anthropic-claude-v1' }),
      detail({ text: 'think.', signature: null }),
      detail({ signature: 'c2ln' }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'ZW5j' }] }),
      chunk({ tool_calls: [{ index: 0, id: 'i', function: { name: 'f', arguments: '{}' } }] }),
      finish,
      '[DONE]',
    ]);
    expect((await replayedMessage(answer))?.['reasoning_details']).toEqual([
      { type: 'reasoning.text', index: 0, text: 'Let me think.', format: 'anthropic-claude-v1', signature: 'c2ln' },
      { type: 'reasoning.encrypted', index: 1, data: 'ZW5j' },
    ]);
  });

  test('with the extra fields of a call', async () => {
    const extra = { google: { thought_signature: 'c2ln' } };
    const answer = reply.events([
      chunk({ tool_calls: [{ index: 0, id: 'i', extra_content: extra, function: { name: 'f', arguments: '{}' } }] }),
      finish,
      '[DONE]',
    ]);
    expect((await replayedMessage(answer))?.['tool_calls']).toMatchObject([{ id: 'i', extra_content: extra }]);
  });

  test('keeps nothing for an answer without calls', async () => {
    const parts = await ask(reply.text('yes', { reasoning: 'hm' }));
    expect(parts.some((part) => part.type === 'reasoning_signature')).toBe(false);
    expect(textIn(parts)).toBe('yes');
  });
});
