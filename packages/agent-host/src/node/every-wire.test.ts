import type { WireName } from '@toolyard/model-runtime';
import {
  anthropicReply,
  converseReply,
  geminiReply,
  reply,
  responsesReply,
  startModelServer,
  type ModelReply,
} from '@toolyard/testing';
import { expect, test } from 'vitest';
import { agentOn, DATE_SERVER, readEvents, sentBody } from './test-fixtures/test-agent.ts';

const args = { timezone: 'Asia/Tokyo', format: 'iso' };

/**
 * Per API format: reasoning, text and a call; then the answer; and what the second request must contain of the first
 * turn.
 */
const WIRES: [WireName, ModelReply, ModelReply, object][] = [
  [
    'openai-chat',
    reply.toolCalls([{ id: 'call_1', name: 'get-date', arguments: args }], { reasoning: 'Tokyo.', text: 'Looking.' }),
    reply.text('Late.'),
    {
      messages: [
        { role: 'user' },
        { role: 'assistant', content: 'Looking.', reasoning_content: 'Tokyo.', tool_calls: [{ id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('+09:00') },
      ],
    },
  ],
  [
    'openai-responses',
    responsesReply([
      { type: 'reasoning', summary: ['Tokyo.'], encrypted: 'ZW5j' },
      { type: 'message', text: 'Looking.' },
      { type: 'function_call', callId: 'call_1', name: 'get-date', arguments: args },
    ]),
    responsesReply('Late.'),
    {
      input: [
        { role: 'user' },
        { type: 'reasoning', id: 'rs_0', encrypted_content: 'ZW5j', summary: [{ text: 'Tokyo.' }] },
        { role: 'assistant', content: 'Looking.' },
        { type: 'function_call', call_id: 'call_1' },
        { type: 'function_call_output', call_id: 'call_1', output: expect.stringContaining('+09:00') },
      ],
    },
  ],
  [
    'anthropic-messages',
    anthropicReply([
      { type: 'thinking', thinking: 'Tokyo.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlk' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_1', name: 'get-date', input: args },
    ]),
    anthropicReply('Late.'),
    {
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Tokyo.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'aGlk' },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'toolu_1' },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: expect.stringContaining('+09:00') }],
        },
      ],
    },
  ],
  [
    'google-gemini',
    geminiReply([
      { text: 'Tokyo.', thought: true },
      { text: 'Looking.' },
      { functionCall: { id: 'g1', name: 'get-date', args }, thoughtSignature: 'c2ln' },
    ]),
    geminiReply('Late.'),
    {
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [{ text: 'Looking.' }, { functionCall: { id: 'g1', args }, thoughtSignature: 'c2ln' }],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'g1', response: { output: expect.stringContaining('+09:00') } } }],
        },
      ],
    },
  ],
  [
    'bedrock-converse',
    converseReply([
      { type: 'reasoning', text: 'Tokyo.', signature: 'c2ln' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'tooluse_1', name: 'get-date', input: args },
    ]),
    converseReply('Late.'),
    {
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Tokyo.', signature: 'c2ln' } } },
            { text: 'Looking.' },
            { toolUse: { toolUseId: 'tooluse_1', input: args } },
          ],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: expect.stringContaining('+09:00') }] } }],
        },
      ],
    },
  ],
];

test.each(WIRES)('with %s makes a tool call and sends the reasoning back', async (wire, asks, answers, second) => {
  await using server = await startModelServer([asks, answers]);
  const model = { wire, baseUrl: server.url, id: 'scripted' };
  await using agent = await agentOn(server, { servers: [DATE_SERVER], model });
  const run = agent.run('What time is it in Tokyo?');
  const events = await readEvents(run);
  const { text, turns } = await run.result;
  expect({ text, turns }).toEqual({ text: 'Late.', turns: 2 });
  expect(sentBody(server, 1)).toMatchObject(second);
  const thought = events.map((event) => (event.type === 'reasoning_delta' ? event.text : '')).join('');
  expect(thought).toBe('Tokyo.');
  // Content that only the provider can read is not shown.
  const shown = JSON.stringify(events.filter(({ type }) => type !== 'message_finished'));
  expect(shown).not.toMatch(/c2ln|aGlk|ZW5j/);
});
