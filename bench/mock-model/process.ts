// The mock model server of the benches, in a separate process. In the OpenAI Chat Completions API, the model name selects
// the answer:
//
// - `calls-<calls>`    turns with one call of `echo` each, then an answer of 200 tokens; checks the requests
// - any other name     an answer of 5,000 deltas, like all answers in the other APIs
// - `first`            a few tokens after a pause, each with its send time
// - `steady-<tokens>`  50 tokens per second, every tenth with its send time
// - `long-<calls>`     like `calls`, with a short answer, without reading the request
// - `markdown-<size>`  Markdown of this many characters, 500 tokens of four characters per second
//
// The first two are encoded before the first request and sent without delays. Each write contains a few events (the
// argument of this process) and has its own event loop turn, so that an answer arrives in many reads, like a real one.
// With one event per write, the kernel would join 5 to 200 writes into a read, depending on the load, and the client pays
// per read. Times are from process.hrtime, a clock shared by all processes of a machine.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCall, delta, encodeAnswers, END } from './formats.ts';
import { beginAnswer, sendFirst, sendMarkdown, sendWords } from './paced.ts';
import { getNote } from './texts.ts';

/** Since the last report: requests, the first problem, and CPU time of this process. */
export type Report = { requests: number; answers: number; requestBytes: number; wrong: string | null; cpuMs: number };
export type FromModel = { port: number } | Report;

const encoded = encodeAnswers(Number(process.argv[2] ?? 5));
let report = emptyReport();
let cpuBefore = process.cpuUsage();

function emptyReport(): Report {
  return { requests: 0, answers: 0, requestBytes: 0, wrong: null, cpuMs: 0 };
}

type ChatRequest = { stream?: unknown; tools?: unknown[]; messages?: { role: string; content: unknown }[] };

/** The writes of the answer, or the problem of the request. */
function answerToCalls(request: ChatRequest, calls: number): Buffer[] | string {
  if (request.stream !== true) return 'a request without streaming';
  if (!request.tools?.length) return 'a request without tools';
  const results = (request.messages ?? []).filter((message) => message.role === 'tool');
  for (const [index, { content }] of results.entries()) {
    if (!JSON.stringify(content).includes(`Echo: ${getNote(index)}`)) return `result ${index} is not the one of echo`;
  }
  if (results.length > calls) return `${results.length} results of ${calls} calls`;
  return results.length === calls ? encoded.answer : (encoded.calls[results.length] ?? 'too many calls');
}

function send(response: ServerResponse, writes: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let next = 0;
  const writeOne = (): void => {
    if (response.destroyed) return;
    const piece = writes[next++];
    if (next >= writes.length) {
      // In the last write, like real servers, so that a client that stops at [DONE] has also received the end.
      response.end(piece);
      return;
    }
    response.write(piece);
    setImmediate(writeOne);
  };
  writeOne();
}

function refuse(response: ServerResponse, why: string): void {
  report.wrong ??= why;
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: why, type: 'invalid_request_error' } }));
}

const RESULT = Buffer.from('"role":"tool"');

/** Counts results without parsing, whose cost would grow with the conversation. */
function sendLong(response: ServerResponse, request: Buffer, calls: number): void {
  let results = 0;
  for (let at = request.indexOf(RESULT); at !== -1; at = request.indexOf(RESULT, at + RESULT.length)) results++;
  if (results < calls) {
    send(response, [Buffer.concat(createCall(results).writes)]);
    return;
  }
  beginAnswer(response);
  response.end(delta('That was the last of them.') + END);
}

function sendChecked(response: ServerResponse, request: Buffer, calls: number): void {
  report.requests++;
  report.requestBytes += request.length;
  const decided = answerToCalls(JSON.parse(request.toString()) as ChatRequest, calls);
  if (typeof decided === 'string') {
    refuse(response, decided);
    return;
  }
  if (decided === encoded.answer) report.answers++;
  send(response, decided);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read: Buffer[] = [];
  for await (const piece of request) read.push(piece as Buffer);
  const { url = '' } = request;
  const other = encoded.otherFormats.find(({ path }) => path.test(url));
  if (other) {
    send(response, other.writes);
    return;
  }
  const body = Buffer.concat(read);
  if (request.method !== 'POST' || !url.endsWith('/chat/completions')) {
    refuse(response, `${request.method} ${url}`);
    return;
  }
  const model = /"model":\s*"(calls|first|steady|long|markdown)-?(\d*)"/.exec(body.toString('utf8'));
  const kind = model?.[1];
  const count = Number(model?.[2]);
  if (kind === 'calls') sendChecked(response, body, count);
  else if (kind === 'first') sendFirst(response);
  else if (kind === 'steady') sendWords(response, count);
  else if (kind === 'markdown') sendMarkdown(response, count);
  else if (kind === 'long') sendLong(response, body, count);
  else send(response, encoded.longChat);
}

const server = createServer({ noDelay: true }, (request, response) => {
  answer(request, response).catch((thrown: unknown) => refuse(response, String(thrown)));
});
// Keeps idle connections of contenders open while others run.
server.keepAliveTimeout = 10 * 60_000;
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));

/** Every message requests a report. */
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuBefore = process.cpuUsage();
  tell({ ...report, cpuMs: (user + system) / 1000 });
  report = emptyReport();
});
process.on('disconnect', () => process.exit(0));

function tell(message: FromModel): void {
  process.send?.(message);
}
