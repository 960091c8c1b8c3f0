import { parseJson, type Clock, type ErrorInfo } from '@toolyard/protocol';
import { createParser } from 'eventsource-parser';
import type { StreamPart } from '../types.ts';
import type { StreamedAnswer } from './answer.ts';
import { providerErrorOf, messageError, withAddress, type ErrorContext } from './provider-error.ts';

/** Maximum length of one event, or of a whole answer, in characters. */
const MAX_EVENT = 32_000_000;

type Kind = 'unknown' | 'events' | 'json' | 'html';

/**
 * Reads the body of a response as what it is: server-sent events as requested, one JSON object, or a web page. Ignores
 * the content type, which proxies change.
 */
export class AnswerBody {
  #kind: Kind = 'unknown';
  #head = '';
  #json = '';
  #events = 0;
  #flushing = false;
  /** The parts of the current push. */
  #out: StreamPart[] = [];
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => this.#event(event.event, event.data),
    onError: (problem) => {
      if (problem.type === 'max-buffer-size-exceeded') this.#failUnreadable('an event is too long');
    },
  });
  readonly #answer: StreamedAnswer;
  readonly #errors: ErrorContext;

  constructor(answer: StreamedAnswer, errors: ErrorContext) {
    this.#answer = answer;
    this.#errors = errors;
  }

  /** Processes the bytes of one network read. */
  push(bytes: Uint8Array, out: StreamPart[]): void {
    this.#out = out;
    this.#text(this.#decoder.decode(bytes, { stream: true }));
    if (this.#answer.isStreamDone) this.#answer.end(out);
  }

  /** Ends the body, or stops reading it. */
  end(out: StreamPart[]): void {
    this.#out = out;
    if (this.#answer.ended) return;
    this.#text(this.#decoder.decode());
    switch (this.#kind) {
      case 'events':
        // The blank line after the last event may be missing; an incomplete event is ignored.
        this.#flushing = true;
        this.#feed('\n\n');
        if (this.#events === 0 && !this.#head.trimStart().startsWith(':')) this.#failNoModelServer();
        break;
      case 'json':
        this.#completeJson();
        break;
      case 'html':
        this.#failNoModelServer();
        break;
      case 'unknown':
        if (this.#head.trim() !== '') this.#failNoModelServer();
        break;
    }
    this.#answer.end(out);
  }

  #text(text: string): void {
    switch (this.#kind) {
      case 'unknown':
        this.#head += text;
        this.#kind = kindOf(this.#head);
        if (this.#kind === 'events') this.#feed(this.#head);
        if (this.#kind === 'json') this.#json = this.#head;
        return;
      case 'events':
        this.#feed(text);
        return;
      case 'json':
        this.#json += text;
        if (this.#json.length > MAX_EVENT) this.#failUnreadable('the answer is too long');
        return;
      case 'html':
        return;
    }
  }

  #feed(text: string): void {
    if (text === '' || this.#answer.ended) return;
    this.#parser.feed(text);
  }

  #event(name: string | undefined, data: string): void {
    this.#events += 1;
    if (this.#answer.isStreamDone || this.#answer.ended) return;
    if (data.startsWith('[DONE]')) {
      this.#answer.isStreamDone = true;
      return;
    }
    const parsed = parseJson(data);
    if (name === 'error') {
      const error = (parsed.ok ? providerErrorOf(parsed.value) : null) ?? messageError(data);
      this.#answer.reject(error, this.#out);
      return;
    }
    if (parsed.ok) {
      this.#answer.read(parsed.value, this.#out, name);
      return;
    }
    if (data.includes('\n')) {
      // Events without a blank line between them arrive as one.
      for (const line of data.split('\n')) this.#event(name, line);
      return;
    }
    if (data.trim() !== '' && !this.#flushing) this.#failUnreadable('an event is not JSON');
  }

  #completeJson(): void {
    const parsed = parseJson(this.#json);
    if (!parsed.ok) {
      this.#failUnreadable('it is not complete JSON');
      return;
    }
    for (const value of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      this.#answer.read(value, this.#out);
    }
    this.#answer.isStreamDone = true;
  }

  #failUnreadable(why: string): void {
    const message = `The answer of ${this.#errors.server} could not be read: ${why}.`;
    this.#answer.fail({ code: 'bad_response', message, retryable: true }, this.#out);
  }

  #failNoModelServer(): void {
    const kind = this.#kind === 'html' ? 'a web page' : 'something else';
    const error: ErrorInfo = {
      code: 'not_a_model_server',
      message: `${this.#errors.server} is not a model server: it returned ${kind}.`,
      hint: 'Check the base URL of the provider.',
    };
    this.#answer.fail(withAddress(error, this.#errors), this.#out);
  }
}

function kindOf(head: string): Kind {
  const first = head.trimStart().charAt(0);
  if (first === '') return 'unknown';
  if (first === '{' || first === '[') return 'json';
  return first === '<' ? 'html' : 'events';
}

/** Maximum wait for the end of a body whose content is complete, in milliseconds. */
const LINGER_MS = 1000;

/**
 * Releases a body. A complete one is read to its end in the background, so that the connection can be reused; any other
 * is cancelled.
 */
export function releaseBody(reader: ReadableStreamDefaultReader<Uint8Array>, complete: boolean, clock: Clock): void {
  const cancel = (): void => {
    reader.cancel().catch(() => undefined);
  };
  if (!complete) {
    cancel();
    return;
  }
  const cancelTimer = clock.after(LINGER_MS, cancel);
  const readOn = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  readOn()
    .catch(() => undefined)
    .finally(cancelTimer);
}
