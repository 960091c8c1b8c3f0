import type { ErrorInfo, Clock } from '@toolyard/protocol';
import { createErrorInfo, parseJson, say } from '@toolyard/protocol';
import { createParser } from 'eventsource-parser';
import type { StreamPart } from '../types.ts';
import type { StreamedAnswer } from './answer.ts';
import { readErrorValue, createMessageError, withAddress, type ErrorContext } from './provider-error.ts';

/** Maximum length of one event, or of a whole answer, in characters. */
const MAX_EVENT = 32_000_000;

type Kind = 'unknown' | 'events' | 'json' | 'lines' | 'html';

/**
 * Reads the body of a response as what it is: server-sent events as requested, one JSON object, one for each line, or a
 * web page. Ignores the content type, which proxies change.
 *
 * Rule: only JSON is part of an answer. Data or a line that does not begin like JSON is a keep-alive or an end marker
 * (`ping`, `[done]`); it is the error only if the answer does not end.
 */
export class AnswerBody {
  #kind: Kind = 'unknown';
  #head = '';
  #json = '';
  #events = 0;
  #flushing = false;
  /** The last data that was not JSON. */
  #said = '';
  /** The parts of the current push. */
  #out: StreamPart[] = [];
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => this.#event(event.event, event.data),
    onError: (problem) => {
      if (problem.type === 'max-buffer-size-exceeded') this.#answer.failUnreadable('an event is too long', this.#out);
      if (problem.type === 'unknown-field') this.#event(undefined, problem.line ?? '');
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
      case 'lines':
        this.#flushing = true;
        this.#lines('\n');
        this.#answer.isStreamDone ||= this.#events === 1;
        break;
      case 'html':
        this.#failNoModelServer();
        break;
      case 'unknown':
        if (this.#head.trim() !== '') this.#failNoModelServer();
        break;
    }
    const isCut = !this.#answer.stopped && !this.#answer.isStreamDone;
    if (isCut && this.#said !== '') this.#answer.reject(createMessageError(this.#said), out);
    this.#answer.end(out);
  }

  #text(text: string): void {
    switch (this.#kind) {
      case 'unknown':
        this.#head += text;
        this.#kind = detectKind(this.#head);
        if (this.#kind === 'events') this.#feed(this.#head);
        if (this.#kind === 'json') this.#whole(this.#head);
        return;
      case 'events':
        this.#feed(text);
        return;
      case 'json':
        this.#whole(text);
        return;
      case 'lines':
        this.#lines(text);
        return;
      case 'html':
        return;
    }
  }

  /** Adds to a JSON answer. If its first line is JSON, so is every other. */
  #whole(text: string): void {
    const isFirst = !this.#json.includes('\n') && text.includes('\n');
    this.#json += text;
    if (this.#json.length > MAX_EVENT) this.#answer.failUnreadable('the answer is too long', this.#out);
    else if (isFirst && parseJson(this.#json.trimStart().split('\n', 1)[0] ?? '').ok) {
      this.#kind = 'lines';
      this.#lines('');
    }
  }

  #lines(text: string): void {
    const lines = (this.#json + text).split('\n');
    this.#json = lines.pop() ?? '';
    for (const line of lines) this.#event(undefined, line);
    if (this.#json.length > MAX_EVENT) this.#answer.failUnreadable('an event is too long', this.#out);
  }

  #feed(text: string): void {
    if (text === '' || this.#answer.ended) return;
    this.#parser.feed(text);
  }

  #event(name: string | undefined, data: string): void {
    if (this.#answer.isStreamDone || this.#answer.ended) return;
    const parsed = parseJson(data);
    if (name === 'error') {
      this.#events += 1;
      const error = (parsed.ok ? readErrorValue(parsed.value) : null) ?? createMessageError(data);
      this.#answer.reject(error, this.#out);
    } else if (parsed.ok && typeof parsed.value !== 'string') {
      this.#events += 1;
      this.#answer.read(parsed.value, this.#out, name);
    } else this.#otherEvent(name, data);
  }

  #otherEvent(name: string | undefined, written: string): void {
    // Some servers write the field twice, or not at the beginning of the line.
    const data = written.replace(/^(?:\s*data:)+/i, '').trim();
    if (/^"?\[?done\]?"?$/i.test(data)) {
      this.#events += 1;
      this.#answer.isStreamDone = true;
      return;
    }
    const isJson = /^[[{]/.test(data);
    const value = isJson && (data !== written || HAS_NUMBER_WORDS.test(data)) ? withoutNumberWords(data) : null;
    if (value !== null && parseJson(value).ok) this.#event(name, value);
    // Events without a blank line between them arrive as one.
    else if (data.includes('\n')) for (const line of data.split('\n')) this.#event(name, line);
    else if (data === '' || this.#flushing) return;
    else if (isJson) this.#answer.failUnreadable('an event is not JSON', this.#out);
    else this.#said = data;
  }

  #completeJson(): void {
    const parsed = parseJson(this.#json);
    if (!parsed.ok) {
      this.#answer.failUnreadable('it is not complete JSON', this.#out);
      return;
    }
    for (const value of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      this.#answer.read(value, this.#out);
    }
    this.#answer.isStreamDone = true;
  }

  #failNoModelServer(): void {
    const kind = this.#kind === 'html' ? say`a web page` : say`something else`;
    const error: ErrorInfo = createErrorInfo({
      code: 'not_a_model_server',
      message: say`${this.#errors.server} is not a model server: it returned ${kind}.`,
      hint: say`Check the base URL of the provider.`,
    });
    this.#answer.fail(withAddress(error, this.#errors), this.#out);
  }
}

const HAS_NUMBER_WORDS = /NaN|Infinity/;

/** Servers in Python write numbers that are none in JSON. */
function withoutNumberWords(data: string): string {
  return data.replace(/([:,[]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g, '$1null');
}

function detectKind(head: string): Kind {
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
