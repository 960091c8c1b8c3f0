import type { AnyText, ErrorInfo, ErrorCode, JsonValue } from '@toolyard/protocol';
import { createErrorInfo, isJsonObject, parseJson, say } from '@toolyard/protocol';
import { createParser } from 'eventsource-parser';
import type { StreamPart } from '../types.ts';
import { WebApiDecoder } from '../webapi/events.ts';
import { looksLikeHtml } from '../wire/provider-error.ts';

/** Maximum length of one event, in characters; large because an event may contain an image. */
const MAX_EVENT = 64_000_000;
/** Characters read of a response that is not an event stream. */
const MAX_OTHER = 64_000;

/**
 * Reads the body of a `/webapi/chat` response in chunks of any size. Any other body, such as a proxy's error page or a
 * problem document, ends the answer with an error that describes it.
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
  /** Text received before the response is known to be an event stream; kept if it is not. */
  #head = '';
  #isEvents = false;
  #out: StreamPart[] = [];

  /** @param server Name of the server, for error messages */
  constructor(server: string) {
    this.#server = server;
  }

  /** True once the answer has ended, successfully or not. */
  get ended(): boolean {
    return this.#events.ended;
  }

  push(bytes: Uint8Array, out: StreamPart[]): void {
    this.#text(this.#decoder.decode(bytes, { stream: true }), out);
  }

  /** Ends the input. An answer without its final event was interrupted. */
  end(out: StreamPart[]): void {
    this.#text(this.#decoder.decode(), out);
    if (this.ended) return;
    if (this.#isEvents || this.#head.trim() === '') this.#fail(streamInterrupted(this.#server));
    else this.#fail(responseError(this.#head, null, this.#server));
  }

  /** Ends the answer with an error. */
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

/** The error for a response that is not an event stream. `status` null: the response had a success status. */
export function responseError(body: string, status: number | null, server: string): ErrorInfo {
  const parsed = parseJson(body);
  const problem = parsed.ok ? readProblem(parsed.value) : null;
  if (problem !== null) return problem;
  const page = looksLikeHtml(body);
  const what = page ? 'a web page' : 'something else';
  if (status === 502 || status === 503 || status === 504) {
    return {
      code: 'network',
      message: `Toolyard at ${server} cannot be reached: the proxy in front of it returned ${status}.`,
      hint: 'Is the server running?',
      retryable: true,
    };
  }
  return {
    code: 'bad_response',
    message: `${server} returned ${status === null ? '' : `${status} with `}${what} instead of an answer.`,
    hint: 'Check the base URL, and that it is a Toolyard server.',
  };
}

function readProblem(value: JsonValue): ErrorInfo | null {
  if (!isJsonObject(value) || typeof value['detail'] !== 'string') return null;
  const { code, detail, hint, status } = value;
  return {
    // A newer server may send codes that are not in this version's list.
    code: typeof code === 'string' ? (code as ErrorCode) : 'bad_response',
    message: detail,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(status === 429 || status === 503 ? { retryable: true } : {}),
  };
}

function unreadable(server: string, reason: AnyText): ErrorInfo {
  return createErrorInfo({
    code: 'bad_response',
    message: say`The answer of ${server} could not be read: ${reason}.`,
    retryable: true,
  });
}

/** The connection ended before the answer was complete. */
export function streamInterrupted(server: string): ErrorInfo {
  return {
    code: 'stream_broken',
    message: `The connection to ${server} ended before the answer was complete.`,
    hint: 'The partial answer is kept. Try again.',
    retryable: true,
  };
}
