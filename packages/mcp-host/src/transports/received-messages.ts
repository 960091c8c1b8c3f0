import type { Clock, Fetch, JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { pacedLines } from './pacing.ts';
import { withBody } from './with-body.ts';

/**
 * The JSON-RPC messages in a received value. A batch is as many messages, on every transport and in every version, a
 * member of a message that is `null` is absent (`"error": null` beside a result), and `jsonrpc` needs not be written.
 */
export function messagesIn(value: JsonValue | undefined): (JsonValue | undefined)[] {
  return (Array.isArray(value) ? value : [value]).map((message) => {
    if (!isJsonObject(message)) return message;
    // A response whose result is null, as some servers answer a ping.
    const isResponse = message['result'] === null && !isJsonObject(message['error']) && !('method' in message);
    const { result, params, ...rest } = withoutNull(isResponse ? { ...message, result: {} } : message);
    const isMessage = result !== undefined || 'method' in rest || 'error' in rest;
    return {
      ...rest,
      ...(isMessage ? { jsonrpc: '2.0' } : {}),
      ...(params === undefined ? {} : { params: withoutNullMeta(params) }),
      ...(result === undefined ? {} : { result: withoutNullMeta(result) }),
    };
  });
}

function withoutNullMeta(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value['_meta'] !== null) return value;
  const { _meta: _none, ...rest } = value;
  return rest;
}

/** The object without members that are null; the same object if there are none. */
export function withoutNull(value: JsonObject): JsonObject {
  const members = Object.entries(value);
  const kept = members.filter(([, member]) => member !== null);
  return kept.length === members.length ? value : Object.fromEntries(kept);
}

/** What the SDK would reject in a message; most messages have nothing of it, and are not parsed twice. */
function mayBeOdd(text: string): boolean {
  return /"(?:error|result|params|id|_meta)"\s*:\s*null/.test(text) || !/"jsonrpc"\s*:\s*"2\.0"/.test(text);
}

/**
 * A fetch for the transports of the SDK, which read neither batches in event streams, nor members that are null, nor all
 * that has arrived of a stream at once. The body of a successful response decides what it is, not its content type.
 */
export function readableMessages(fetch: Fetch, clock: Clock): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const given = response.headers.get('content-type') ?? '';
    const isStream = /\btext\/event-stream\b/i.test(given);
    const bytes = isStream ? response.body.pipeThrough(pacedLines(clock)) : response.body;
    const text = bytes.pipeThrough(new TextDecoderStream());
    const start = isStream || !response.ok ? { body: text, head: '' } : await withHead(text);
    const type = start.head === '' ? given : (detectType(start.head) ?? given);
    const rewriting = /event-stream/i.test(type) ? inEvents() : /\bjson\b/i.test(type) ? inDocument() : undefined;
    const body = (rewriting === undefined ? start.body : start.body.pipeThrough(rewriting)).pipeThrough(
      new TextEncoderStream(),
    );
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    if (type !== '') headers.set('content-type', type);
    return withBody(response, body, headers);
  };
}

/** A body with enough of its beginning to know what it is. */
async function withHead(text: ReadableStream<string>): Promise<{ body: ReadableStream<string>; head: string }> {
  const reader = text.getReader();
  let head = '';
  for (let done = false; !done && !/[[{<:]|\S{6}/.test(head);) {
    const read = await reader.read();
    done = read.done;
    head += read.value ?? '';
  }
  const body = new ReadableStream<string>({
    start: (controller) => void (head === '' || controller.enqueue(head)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { body, head };
}

/** The content type of messages that begin so; undefined for anything else. */
function detectType(head: string): string | undefined {
  const start = head.trimStart();
  if (/^[[{]/.test(start)) return 'application/json';
  return /^(?:data|event|id|retry)?:/.test(start) ? 'text/event-stream' : undefined;
}

function inDocument(): TransformStream<string, string> {
  let text = '';
  return new TransformStream<string, string>({
    transform: (chunk) => void (text += chunk),
    flush(controller) {
      const parsed = mayBeOdd(text) ? parseJson(text) : undefined;
      if (parsed?.ok !== true) return controller.enqueue(text);
      const messages = messagesIn(parsed.value);
      controller.enqueue(JSON.stringify(Array.isArray(parsed.value) ? messages : messages[0]));
    },
  });
}

function inEvents(): TransformStream<string, string> {
  const events = new EventRewriter();
  return new TransformStream<string, string>({
    transform(chunk, controller) {
      const ready = events.add(chunk);
      if (ready !== '') controller.enqueue(ready);
    },
    flush: (controller) => controller.enqueue(events.end()),
  });
}

/** Rewrites an event stream line by line: nothing is held back longer than the event it belongs to. */
class EventRewriter {
  /** The beginning of a line. */
  #line = '';
  /** The last line ended in a carriage return, which a line feed may complete. */
  #isReturned = false;
  /** The data of the current event, if it may have to be rewritten. */
  #batch: string[] | undefined;
  #hasData = false;

  add(chunk: string): string {
    let out = '';
    let from = 0;
    if (this.#isReturned && chunk.startsWith('\n')) {
      out = '\n';
      from = 1;
    }
    if (chunk.length > from) this.#isReturned = false;
    for (const { index, 0: end } of chunk.matchAll(/\r\n|\n|\r/g)) {
      if (index < from) continue;
      const line = this.#line + chunk.slice(from, index);
      this.#line = '';
      from = index + end.length;
      this.#isReturned = end === '\r' && from === chunk.length;
      out += this.#read(line, end);
    }
    this.#line += chunk.slice(from);
    return out;
  }

  end(): string {
    const rest = this.#line === '' ? '' : this.#read(this.#line, '\n');
    // The blank line after the last event may be missing. One that was cut off is ignored.
    const isWhole = this.#batch === undefined ? this.#hasData : parseJson(this.#batch.join('\n')).ok;
    return `${rest}${this.#batch === undefined ? '' : toEvents(this.#batch)}${isWhole ? '\n' : ''}`;
  }

  #read(line: string, end: string): string {
    if (line === '') {
      const batch = this.#batch;
      this.#batch = undefined;
      this.#hasData = false;
      return `${batch === undefined ? '' : toEvents(batch)}${end}`;
    }
    if (!/^data(:|$)/.test(line)) return line + end;
    const data = line.slice('data:'.length).replace(/^ /, '');
    if (this.#batch !== undefined) {
      this.#batch.push(data);
      return '';
    }
    const isFirst = !this.#hasData;
    this.#hasData = true;
    // An array, or an object that continues on the next line.
    const isWhole = data === '' || data.trimEnd().endsWith('}');
    const mayBeRewritten = !isWhole || data.trimStart().startsWith('[') || (data !== '' && mayBeOdd(data));
    if (isFirst && mayBeRewritten) {
      this.#batch = [data];
      return '';
    }
    return line + end;
  }
}

/** One event for each message; the empty line after the last one is the caller's. */
function toEvents(data: readonly string[]): string {
  const parsed = parseJson(data.join('\n'));
  if (!parsed.ok) return dataLines(data);
  return messagesIn(parsed.value)
    .map((message) => dataLines([JSON.stringify(message)]))
    .join('\n');
}

function dataLines(data: readonly string[]): string {
  return data.map((line) => `data: ${line}\n`).join('');
}
