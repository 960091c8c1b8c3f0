import { answerTokens, noteOf, pieces } from './texts.ts';

/** One chunk of OpenAI's Chat Completions API. */
export function chunk(choices: unknown[], more: object = {}): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench' };
  return frame({ ...head, choices, ...more });
}

export function delta(content: object, finish: string | null = null): string {
  return chunk([{ index: 0, delta: content, finish_reason: finish }]);
}

export const START = delta({ role: 'assistant', content: '' });
export const DONE = 'data: [DONE]\n\n';

/** The call of `echo` with its arguments in one piece, or empty if they follow in deltas. */
export function callDelta(index: number, args: string): string {
  const call = { index: 0, id: `call_${index}`, type: 'function', function: { name: 'echo', arguments: args } };
  return delta({ role: 'assistant', content: null, tool_calls: [call] });
}

function frame(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function chatEnd(finish: string, tokens: number): string[] {
  const usage = { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens };
  return [delta({}, finish), chunk([], { usage }), DONE];
}

function chatText(tokens: readonly string[]): string[] {
  return [START, ...tokens.map((content) => delta({ content })), ...chatEnd('stop', tokens.length)];
}

function chatCall(index: number): string[] {
  const args = JSON.stringify({ message: noteOf(index) }).match(/.{1,6}/g) ?? [];
  const argumentDelta = (piece: string): string =>
    delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  return [callDelta(index, ''), ...args.map(argumentDelta), ...chatEnd('tool_calls', args.length)];
}

function responses(): string[] {
  let sequence = 0;
  const event = (type: string, more: object): string => frame({ type, sequence_number: sequence++, ...more }, type);
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const text = pieces.join('');
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'bench' };
  const usage = { input_tokens: 100, output_tokens: pieces.length, total_tokens: 100 + pieces.length };
  return [
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } }),
    ...pieces.map((piece) => event('response.output_text.delta', { ...place, delta: piece, logprobs: [] })),
    event('response.output_text.done', { ...place, text }),
    event('response.output_item.done', { output_index: 0, item: message }),
    event('response.completed', { response: { ...response, status: 'completed', output: [message], usage } }),
  ];
}

function anthropicMessages(): string[] {
  const event = (type: string, more: object = {}): string => frame({ type, ...more }, type);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null };
  return [
    event('message_start', { message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: pieces.length } }),
    event('message_stop'),
  ];
}

function googleGemini(): string[] {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: pieces.length };
  return pieces.map((text, at) => {
    const end = at === pieces.length - 1 ? { finishReason: 'STOP' } : {};
    const candidates = [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...end }];
    return frame({ candidates, usageMetadata, modelVersion: 'bench' });
  });
}

function webApi(): string[] {
  const usage = { totalInputTokens: 100, totalOutputTokens: pieces.length };
  return [...pieces.map((text) => frame(text, 'text')), frame(usage, 'usage'), frame('stop', 'stop')];
}

/** All answers without delays, encoded before the first request, as socket writes. */
export function encodeAnswers(eventsInWrite: number) {
  const writesOf = (events: readonly string[]): Buffer[] => {
    const writes: Buffer[] = [];
    for (let from = 0; from < events.length; from += eventsInWrite)
      writes.push(Buffer.from(events.slice(from, from + eventsInWrite).join('')));
    return writes;
  };
  return {
    answer: writesOf(chatText(answerTokens)),
    calls: Array.from({ length: 10 }, (_, index) => writesOf(chatCall(index))),
    longChat: writesOf(chatText(pieces)),
    otherFormats: [
      { path: /\/responses$/, writes: writesOf(responses()) },
      { path: /\/messages$/, writes: writesOf(anthropicMessages()) },
      { path: /:streamGenerateContent/, writes: writesOf(googleGemini()) },
      { path: /\/webapi\/chat\//, writes: writesOf(webApi()) },
    ],
  };
}
