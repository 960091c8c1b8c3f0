// The model server of the bench, a process of its own: OpenAI's chat completions over node:http, everything encoded
// before the first request, no artificial wait. A few events make a write and every write has a turn of its own, so
// that an answer arrives in many reads, as a real one does. Its argument is the number of events in a write. With one
// each, the kernel joins anything from 5 to 200 of them into a read, depending on how busy the machine is; the client
// pays for each read, so that the figures would tell of the machine.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTokens, callsOf, noteOf } from './task.ts';

/** What was seen since the last question, and the first thing that was wrong. */
export type Counts = { requests: number; answers: number; requestBytes: number; wrong: string | null };

export type MockToOwner = { type: 'listening'; port: number } | { type: 'counts'; counts: Counts };

const MOST_CALLS = 10;
const EVENTS_IN_WRITE = Number(process.argv[2] ?? 5);

let counts = freshCounts();

function freshCounts(): Counts {
  return { requests: 0, answers: 0, requestBytes: 0, wrong: null };
}

function chunk(choices: unknown[], usage?: unknown): Buffer {
  const body = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    choices,
  };
  return Buffer.from(`data: ${JSON.stringify(usage === undefined ? body : { ...body, usage })}\n\n`);
}

function delta(content: object, finish: string | null = null): Buffer {
  return chunk([{ index: 0, delta: content, finish_reason: finish }]);
}

function ending(finish: string, tokens: number): Buffer[] {
  return [
    delta({}, finish),
    chunk([], { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens }),
    Buffer.from('data: [DONE]\n\n'),
  ];
}

function callEvents(index: number): Buffer[] {
  const head = { index: 0, id: `call_${index}`, type: 'function', function: { name: 'echo', arguments: '' } };
  const pieces = JSON.stringify({ message: noteOf(index) }).match(/.{1,6}/g) ?? [];
  return [
    delta({ role: 'assistant', content: null, tool_calls: [head] }),
    ...pieces.map((piece) => delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    ...ending('tool_calls', pieces.length),
  ];
}

/** The same bytes in fewer pieces. */
function inWrites(events: readonly Buffer[]): Buffer[] {
  const writes: Buffer[] = [];
  for (let from = 0; from < events.length; from += EVENTS_IN_WRITE) {
    writes.push(Buffer.concat(events.slice(from, from + EVENTS_IN_WRITE)));
  }
  return writes;
}

const CALLS = Array.from({ length: MOST_CALLS }, (_, index) => inWrites(callEvents(index)));
const ANSWER_WRITES = inWrites([
  delta({ role: 'assistant', content: '' }),
  ...answerTokens.map((content) => delta({ content })),
  ...ending('stop', answerTokens.length),
]);

type ChatRequest = {
  model?: unknown;
  stream?: unknown;
  tools?: unknown[];
  messages?: { role: string; content: unknown }[];
};

/** What to answer with, write by write, or in words what is wrong with the request. */
function decide(request: ChatRequest): Buffer[] | string {
  const calls = callsOf(request.model);
  if (calls === null) return `unknown model ${JSON.stringify(request.model)}`;
  if (request.stream !== true) return 'a request without streaming';
  if (!request.tools?.length) return 'a request that offers no tools';
  const results = (request.messages ?? []).filter((message) => message.role === 'tool');
  for (const [index, { content }] of results.entries()) {
    if (!JSON.stringify(content).includes(`Echo: ${noteOf(index)}`)) return `result ${index} is not what echo said`;
  }
  if (results.length > calls) return `${results.length} results of ${calls} calls`;
  return results.length === calls ? ANSWER_WRITES : (CALLS[results.length] ?? 'too many calls');
}

function send(response: ServerResponse, writes: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let next = 0;
  const writeOne = (): void => {
    if (response.destroyed) return;
    const piece = writes[next++];
    if (next >= writes.length) {
      // Together with the last piece, as servers do: a client that stops at [DONE] then still finds the end there.
      response.end(piece);
      return;
    }
    response.write(piece);
    setImmediate(writeOne);
  };
  writeOne();
}

function refuse(response: ServerResponse, why: string): void {
  counts.wrong ??= why;
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: why, type: 'invalid_request_error' } }));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    refuse(response, `${request.method} ${request.url}`);
    return;
  }
  const body = Buffer.concat(pieces);
  counts.requests++;
  counts.requestBytes += body.length;
  const decided = decide(JSON.parse(body.toString()) as ChatRequest);
  if (typeof decided === 'string') {
    refuse(response, decided);
    return;
  }
  if (decided === ANSWER_WRITES) counts.answers++;
  send(response, decided);
}

const server = createServer((request, response) => {
  answer(request, response).catch((thrown: unknown) => refuse(response, String(thrown)));
});
// While the others have their turn, a contender's connection waits; closing it under its feet would be a failure of
// the bench and not of the contender.
server.keepAliveTimeout = 10 * 60_000;
server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', port: (server.address() as AddressInfo).port });
});

function tell(message: MockToOwner): void {
  process.send?.(message);
}

/** Any message asks for the counts, and begins new ones. */
process.on('message', () => {
  tell({ type: 'counts', counts });
  counts = freshCounts();
});
process.on('disconnect', () => process.exit(0));
