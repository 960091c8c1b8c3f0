// The model server of the bench, a process of its own: OpenAI's chat completions over node:http. What it does stands
// in the name of the model:
//
// - `first`            after a pause, a few tokens, each with the time it was sent
// - `steady-<tokens>`  so many tokens, 50 a second, every tenth with the time it was sent
// - `long-<calls>`     that many turns with one call of `echo` each, then a short answer
// - `markdown-<size>`  Markdown of so many characters, 500 tokens of four characters a second
//
// Times are those of process.hrtime, the clock all processes of a machine share.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noteOf } from '../loop/task.ts';
import { sampleMarkdown, tokensOf } from './sample-markdown.ts';
import { FIRST_TOKENS, stamped, TOKENS_A_SECOND, wordAt } from './words.ts';

export type UpstreamToOwner = { type: 'listening'; port: number } | { type: 'cpu'; cpuMs: number };

const FIRST_PAUSE_MS = 40;
const BETWEEN_MS = 60;

function delta(content: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  })}\n\n`;
}

const [HEAD = '', TAIL = ''] = delta({ content: '@' }).split('@');
const END = `${delta({}, 'stop')}data: [DONE]\n\n`;

function token(text: string): string {
  return HEAD + text + TAIL;
}

function beginAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(delta({ role: 'assistant', content: '' }));
}

/** Tokens after pauses, so that each finds a quiet server. */
function sendFirst(response: ServerResponse): void {
  beginAnswer(response);
  let sent = 0;
  const next = (): void => {
    if (sent++ === FIRST_TOKENS) {
      response.end(END);
      return;
    }
    response.write(token(stamped(process.hrtime.bigint())));
    setTimeout(next, BETWEEN_MS);
  };
  setTimeout(next, FIRST_PAUSE_MS);
}

type Steady = {
  response: ServerResponse;
  begun: number;
  aSecond: number;
  tokens: number;
  tokenAt: (index: number) => string;
  sent: number;
};
const steady = new Set<Steady>();
let ticking: NodeJS.Timeout | undefined;

/** Every answer keeps its own time, so that the tokens of many do not come in step. */
function sendSteadily(response: ServerResponse, what: Pick<Steady, 'aSecond' | 'tokens' | 'tokenAt'>): void {
  beginAnswer(response);
  steady.add({ response, begun: performance.now(), sent: 0, ...what });
  ticking ??= setInterval(tick, 1);
}

function tick(): void {
  const now = performance.now();
  for (const answer of steady) {
    const due = Math.min(answer.tokens, Math.floor(((now - answer.begun) * answer.aSecond) / 1000));
    while (answer.sent < due) {
      answer.response.write(token(answer.tokenAt(answer.sent++)));
    }
    if (answer.sent < answer.tokens && !answer.response.destroyed) continue;
    answer.response.end(END);
    steady.delete(answer);
  }
  if (steady.size === 0) {
    clearInterval(ticking);
    ticking = undefined;
  }
}

function sendWords(response: ServerResponse, tokens: number): void {
  sendSteadily(response, {
    aSecond: TOKENS_A_SECOND,
    tokens,
    tokenAt: (index) => (index % 10 === 9 ? stamped(process.hrtime.bigint()) : wordAt(index)),
  });
}

function sendMarkdown(response: ServerResponse, characters: number): void {
  const tokens = tokensOf(sampleMarkdown(characters)).map((text) => JSON.stringify(text).slice(1, -1));
  sendSteadily(response, { aSecond: 500, tokens: tokens.length, tokenAt: (index) => tokens[index] ?? '' });
}

const RESULT = Buffer.from('"role":"tool"');

/** The results are counted and not read: reading a long request would cost this server more the longer it is. */
function sendCall(response: ServerResponse, request: Buffer, calls: number): void {
  let results = 0;
  for (let at = request.indexOf(RESULT); at !== -1; at = request.indexOf(RESULT, at + RESULT.length)) results++;
  beginAnswer(response);
  if (results === calls) {
    response.end(delta({ content: 'That was the last of them.' }) + END);
    return;
  }
  const call = {
    index: 0,
    id: `call_${String(results)}`,
    type: 'function',
    function: { name: 'echo', arguments: JSON.stringify({ message: noteOf(results) }) },
  };
  response.end(delta({ tool_calls: [call] }) + delta({}, 'tool_calls') + 'data: [DONE]\n\n');
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const [, kind, count = '0'] = /"model":"(first|steady|long|markdown)-?(\d*)"/.exec(body.toString('utf8')) ?? [];
  if (kind === 'first') sendFirst(response);
  else if (kind === 'steady') sendWords(response, Number(count));
  else if (kind === 'markdown') sendMarkdown(response, Number(count));
  else if (kind === 'long') sendCall(response, body, Number(count));
  else response.writeHead(404).end();
}

const server = createServer({ noDelay: true }, (request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 10 * 60_000;
server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', port: (server.address() as AddressInfo).port });
});

let before = process.cpuUsage();
/** Any message asks for the processor time since the last one. */
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  tell({ type: 'cpu', cpuMs: (user + system) / 1000 });
});
process.on('disconnect', () => process.exit(0));

function tell(message: UpstreamToOwner): void {
  process.send?.(message);
}
