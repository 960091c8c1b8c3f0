import type { ServerResponse } from 'node:http';
import { sampleMarkdown, splitTokens } from '../harness/sample-markdown.ts';
import { delta, END, START } from './formats.ts';
import { FIRST_TOKENS, stamped, TOKENS_A_SECOND, wordAt } from './texts.ts';

const FIRST_PAUSE_MS = 40;
const BETWEEN_MS = 60;

export function beginAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(START);
}

/** Tokens after pauses, so that the server is idle. */
export function sendFirst(response: ServerResponse): void {
  beginAnswer(response);
  let sent = 0;
  const next = (): void => {
    if (sent++ === FIRST_TOKENS) {
      response.end(END);
      return;
    }
    response.write(delta(stamped(process.hrtime.bigint())));
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

/** Each answer has its own schedule, so that tokens of different answers are not synchronized. */
function sendSteadily(response: ServerResponse, what: Pick<Steady, 'aSecond' | 'tokens' | 'tokenAt'>): void {
  beginAnswer(response);
  steady.add({ response, begun: performance.now(), sent: 0, ...what });
  ticking ??= setInterval(tick, 1);
}

function tick(): void {
  const now = performance.now();
  for (const answer of steady) {
    const due = Math.min(answer.tokens, Math.floor(((now - answer.begun) * answer.aSecond) / 1000));
    while (answer.sent < due) answer.response.write(delta(answer.tokenAt(answer.sent++)));
    if (answer.sent < answer.tokens && !answer.response.destroyed) continue;
    answer.response.end(END);
    steady.delete(answer);
  }
  if (steady.size > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}

export function sendWords(response: ServerResponse, tokens: number): void {
  const tokenAt = (index: number): string => (index % 10 === 9 ? stamped(process.hrtime.bigint()) : wordAt(index));
  sendSteadily(response, { aSecond: TOKENS_A_SECOND, tokens, tokenAt });
}

export function sendMarkdown(response: ServerResponse, characters: number): void {
  const tokens = splitTokens(sampleMarkdown(characters)).map((text) => JSON.stringify(text).slice(1, -1));
  sendSteadily(response, { aSecond: 500, tokens: tokens.length, tokenAt: (index) => tokens[index] ?? '' });
}
