import { anthropicReply, geminiReply, reply, responsesReply } from '@toolyard/testing';
import type { ModelReply } from '@toolyard/testing';
import { encodeEvent } from '../../testing/src/model/wire.ts';
import { ANSWER, ANSWER_TOKENS, LONG_ANSWER, getNote, PIECE, PIECES, TOKEN } from './texts.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The events of an answer of one token `@`. */
const [start = '', token = '', finish = '', done = ''] = reply.text('@').writes.map(decode);
const [HEAD = '', TAIL = ''] = token.split('@');
export const START = start;
export const END = finish + done;

/** A delta of text, which needs no escaping in JSON. */
export function delta(text: string): string {
  return HEAD + text + TAIL;
}

/** An answer that is one call of `echo`. */
export function createCall(index: number, pieces?: number): ModelReply {
  const call = { id: `call_${index}`, name: 'echo', arguments: { message: getNote(index) } };
  return reply.toolCalls([call], pieces === undefined ? { whole: true } : { pieces, usage: createUsage(pieces) });
}

function createUsage(tokens: number) {
  return { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens };
}

function webApi(): ModelReply {
  const text = LONG_ANSWER.match(/[^]{4}/g) ?? [];
  const usage = { totalInputTokens: 100, totalOutputTokens: PIECES };
  const event = (data: unknown, name: string): string => encodeEvent(JSON.stringify(data), {}, name);
  return reply.raw([...text.map((piece) => event(piece, 'text')), event(usage, 'usage'), event('stop', 'stop')]);
}

/** All answers without delays, encoded before the first request, as socket writes of so many events. */
export function encodeAnswers(eventsInWrite: number) {
  const splitWrites = ({ writes }: ModelReply): Buffer[] =>
    Array.from({ length: Math.ceil(writes.length / eventsInWrite) }, (_, at) =>
      Buffer.concat(writes.slice(at * eventsInWrite, (at + 1) * eventsInWrite)),
    );
  const long = { pieces: PIECE };
  return {
    answer: splitWrites(reply.text(ANSWER, { pieces: TOKEN, usage: createUsage(ANSWER_TOKENS) })),
    calls: Array.from({ length: 10 }, (_, index) => splitWrites(createCall(index, 6))),
    longChat: splitWrites(reply.text(LONG_ANSWER, { ...long, usage: createUsage(PIECES) })),
    otherFormats: [
      { path: /\/responses$/, writes: splitWrites(responsesReply(LONG_ANSWER, long)) },
      { path: /\/messages$/, writes: splitWrites(anthropicReply(LONG_ANSWER, long)) },
      { path: /:streamGenerateContent/, writes: splitWrites(geminiReply(LONG_ANSWER, long)) },
      { path: /\/webapi\/chat\//, writes: splitWrites(webApi()) },
    ],
  };
}
