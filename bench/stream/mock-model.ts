// The model server of the bench, a process of its own: the same answer over every API, encoded before the first
// request, no artificial wait. A few events make a write and every write has a turn of its own, so that an answer
// arrives in many reads. Its argument is the number of events in a write.
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pieces } from './answer.ts';

const EVENTS_IN_WRITE = Number(process.argv[2] ?? 5);

type Event = { name?: string; data: unknown };

function encoded(events: readonly Event[], end = ''): Buffer[] {
  const frames = events.map(
    ({ name, data }) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`,
  );
  if (end !== '') frames.push(end);
  const writes: Buffer[] = [];
  for (let from = 0; from < frames.length; from += EVENTS_IN_WRITE) {
    writes.push(Buffer.from(frames.slice(from, from + EVENTS_IN_WRITE).join('')));
  }
  return writes;
}

function openAiChat(): Buffer[] {
  const chunk = (choices: unknown[], more: object = {}): Event => ({
    data: {
      id: 'chatcmpl-bench',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'bench',
      choices,
      ...more,
    },
  });
  const delta = (content: object, finish: string | null = null): Event =>
    chunk([{ index: 0, delta: content, finish_reason: finish }]);
  const usage = { prompt_tokens: 100, completion_tokens: pieces.length, total_tokens: 100 + pieces.length };
  return encoded(
    [
      delta({ role: 'assistant', content: '' }),
      ...pieces.map((content) => delta({ content })),
      delta({}, 'stop'),
      chunk([], { usage }),
    ],
    'data: [DONE]\n\n',
  );
}

function openAiResponses(): Buffer[] {
  let sequence = 0;
  const event = (type: string, more: object): Event => ({
    name: type,
    data: { type, sequence_number: sequence++, ...more },
  });
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const text = pieces.join('');
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'bench' };
  const usage = { input_tokens: 100, output_tokens: pieces.length, total_tokens: 100 + pieces.length };
  return encoded([
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } }),
    ...pieces.map((delta) => event('response.output_text.delta', { ...place, delta, logprobs: [] })),
    event('response.output_text.done', { ...place, text }),
    event('response.output_item.done', { output_index: 0, item: message }),
    event('response.completed', { response: { ...response, status: 'completed', output: [message], usage } }),
  ]);
}

function anthropicMessages(): Buffer[] {
  const event = (type: string, more: object = {}): Event => ({ name: type, data: { type, ...more } });
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null };
  return encoded([
    event('message_start', { message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: pieces.length } }),
    event('message_stop'),
  ]);
}

function googleGemini(): Buffer[] {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: pieces.length };
  return encoded(
    pieces.map((text, at) => ({
      data: {
        candidates: [
          {
            content: { role: 'model', parts: [{ text }] },
            index: 0,
            ...(at === pieces.length - 1 ? { finishReason: 'STOP' } : {}),
          },
        ],
        usageMetadata,
        modelVersion: 'bench',
      },
    })),
  );
}

function webApi(): Buffer[] {
  return encoded([
    ...pieces.map((text): Event => ({ name: 'text', data: text })),
    { name: 'usage', data: { totalInputTokens: 100, totalOutputTokens: pieces.length } },
    { name: 'stop', data: 'stop' },
  ]);
}

const ANSWERS: readonly { path: RegExp; writes: Buffer[] }[] = [
  { path: /\/chat\/completions$/, writes: openAiChat() },
  { path: /\/responses$/, writes: openAiResponses() },
  { path: /\/messages$/, writes: anthropicMessages() },
  { path: /:streamGenerateContent/, writes: googleGemini() },
  { path: /\/webapi\/chat\//, writes: webApi() },
];

function send(response: ServerResponse, writes: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let next = 0;
  const writeOne = (): void => {
    if (response.destroyed) return;
    const piece = writes[next++];
    if (next >= writes.length) {
      response.end(piece);
      return;
    }
    response.write(piece);
    setImmediate(writeOne);
  };
  writeOne();
}

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const answer = ANSWERS.find(({ path }) => path.test(request.url ?? ''));
    if (answer === undefined) response.writeHead(404).end();
    else send(response, answer.writes);
  });
});
server.keepAliveTimeout = 10 * 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(0));
