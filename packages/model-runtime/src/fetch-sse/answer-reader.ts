import { isJsonObject, parseJson, type ErrorCode, type ErrorInfo, type JsonValue } from '@toolyard/protocol';
import { createParser } from 'eventsource-parser';
import type { StreamPart } from '../types.ts';
import { WebApiDecoder } from '../webapi/events.ts';
import { looksLikeHtml } from '../wire/provider-error.ts';

/** One event may not be longer, in characters: a picture may be in it. */
const MAX_EVENT = 64_000_000;
/** What is read of something that is no stream of events, in characters. */
const MAX_OTHER = 64_000;

/**
 * Reads the body of an answer of `/webapi/chat`, byte by byte if need be. What is no such answer, a page of a proxy or
 * a problem, ends it with an error that says so.
 */
export class AnswerReader {
  readonly #decoder = new TextDecoder();
  readonly #events = new WebApiDecoder();
  readonly #server: string;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ event, data }) => this.#event(event ?? 'message', data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#fail(unreadable(this.#server, 'an event is too long'));
    },
  });
  /** What came before it was clear that these are events; stays where they are none. */
  #head = '';
  #isEvents = false;
  #out: StreamPart[] = [];

  /** `server`: names it in messages. */
  constructor(server: string) {
    this.#server = server;
  }

  /** True once the answer has ended, well or not. */
  get ended(): boolean {
    return this.#events.ended;
  }

  push(bytes: Uint8Array, out: StreamPart[]): void {
    this.#text(this.#decoder.decode(bytes, { stream: true }), out);
  }

  /** Nothing more will come: an answer without its end is one that broke off. */
  end(out: StreamPart[]): void {
    this.#text(this.#decoder.decode(), out);
    if (this.ended) return;
    if (this.#isEvents || this.#head.trim() === '') this.#fail(streamInterrupted(this.#server));
    else this.#fail(responseError(this.#head, null, this.#server));
  }

  /** Ends the answer from here. */
  fail(error: ErrorInfo, out: StreamPart[]): void {
    this.#out = out;
    this.#fail(error);
  }

  #text(text: string, out: StreamPart[]): void {
    this.#out = out;
    if (this.ended || text === '') return;
    if (!this.#isEvents) {
      this.#head += text;
      const first = this.#head.trimStart().charAt(0);
      if (first === '') return;
      if (first === '<' || first === '{') {
        if (this.#head.length > MAX_OTHER) this.#fail(responseError(this.#head, null, this.#server));
        return;
      }
      this.#isEvents = true;
      text = this.#head;
      this.#head = '';
    }
    this.#parser.feed(text);
  }

  #event(name: string, data: string): void {
    const parsed = parseJson(data);
    if (parsed.ok) this.#events.push(name, parsed.value, this.#out);
    else this.#fail(unreadable(this.#server, 'an event is not JSON'));
  }

  #fail(error: ErrorInfo): void {
    this.#events.fail(error, this.#out);
  }
}

/** What an answer that is no stream of events says went wrong. `status` null: it called itself a success. */
export function responseError(body: string, status: number | null, server: string): ErrorInfo {
  const parsed = parseJson(body);
  const told = parsed.ok ? problemOf(parsed.value) : null;
  if (told !== null) return told;
  const page = looksLikeHtml(body);
  const what = page ? 'a web page' : 'something else';
  if (status === 502 || status === 503 || status === 504) {
    return {
      code: 'network',
      message: `Toolyard at ${server} does not answer: what stands before it says ${status}.`,
      hint: 'Is the server running?',
      retryable: true,
    };
  }
  return {
    code: 'bad_response',
    message: `${server} answered ${status === null ? 'with' : `${status} with`} ${what} in place of an answer.`,
    hint: 'Check the address, and that a Toolyard server is there.',
  };
}

function problemOf(value: JsonValue): ErrorInfo | null {
  if (!isJsonObject(value) || typeof value['detail'] !== 'string') return null;
  const { code, detail, hint, status } = value;
  return {
    // The list of codes grows with the server.
    code: typeof code === 'string' ? (code as ErrorCode) : 'bad_response',
    message: detail,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(status === 429 || status === 503 ? { retryable: true } : {}),
  };
}

function unreadable(server: string, why: string): ErrorInfo {
  return { code: 'bad_response', message: `The answer of ${server} could not be read: ${why}.`, retryable: true };
}

/** The connection ended in the middle. */
export function streamInterrupted(server: string): ErrorInfo {
  return {
    code: 'stream_broken',
    message: `The answer of ${server} broke off before it was whole.`,
    hint: 'What came so far is kept. Try again.',
    retryable: true,
  };
}
