import type { Clock, Fetch, JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { pacedLines } from './pacing.ts';

/**
 * The JSON-RPC messages in a received value. A batch is as many messages, on every transport and in every version, and a
 * member of a message that is `null` is absent (`"error": null` beside a result).
 */
export function messagesIn(value: JsonValue | undefined): (JsonValue | undefined)[] {
  return (Array.isArray(value) ? value : [value]).map((message) => {
    if (!isJsonObject(message)) return message;
    // A response whose result is null, as some servers answer a ping.
    const isResponse = message['result'] === null && !isJsonObject(message['error']) && !('method' in message);
    return withoutNull(isResponse ? { ...message, result: {} } : message);
  });
}

/** The object without members that are null; the same object if there are none. */
export function withoutNull(value: JsonObject): JsonObject {
  const members = Object.entries(value);
  const kept = members.filter(([, member]) => member !== null);
  return kept.length === members.length ? value : Object.fromEntries(kept);
}

/** A member of a message that the SDK would reject; most messages have none, and are not parsed twice. */
const HAS_NULL = /"(?:error|result|params|id|_meta)"\s*:\s*null/;

/**
 * A fetch for the transports of the SDK, which read neither batches in event streams nor members that are null, and all
 * that has arrived of a stream at once.
 */
export function readableMessages(fetch: Fetch, clock: Clock): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    const isStream = /\btext\/event-stream\b/i.test(type);
    const rewriting = isStream ? inEvents() : /\bjson\b/i.test(type) ? inDocument() : undefined;
    if (rewriting === undefined || response.body === null) return response;
    const body = (isStream ? response.body.pipeThrough(pacedLines(clock)) : response.body)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(rewriting)
      .pipeThrough(new TextEncoderStream());
    const { status, statusText, url } = response;
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    const answer = new Response(body, { status, statusText, headers });
    Object.defineProperty(answer, 'url', { value: url });
    return answer;
  };
}

function inDocument(): TransformStream<string, string> {
  let text = '';
  return new TransformStream<string, string>({
    transform: (chunk) => void (text += chunk),
    flush(controller) {
      const parsed = HAS_NULL.test(text) ? parseJson(text) : undefined;
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
    return `${this.#batch === undefined ? '' : dataLines(this.#batch)}${this.#line}`;
  }

  #read(line: string, end: string): string {
    if (line === '') {
      const batch = this.#batch;
      this.#batch = undefined;
      this.#hasData = false;
      return `${batch === undefined ? '' : eventsOf(batch)}${end}`;
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
    const mayBeRewritten = !isWhole || data.trimStart().startsWith('[') || HAS_NULL.test(data);
    if (isFirst && mayBeRewritten) {
      this.#batch = [data];
      return '';
    }
    return line + end;
  }
}

/** One event for each message; the empty line after the last one is the caller's. */
function eventsOf(data: readonly string[]): string {
  const parsed = parseJson(data.join('\n'));
  if (!parsed.ok) return dataLines(data);
  return messagesIn(parsed.value)
    .map((message) => dataLines([JSON.stringify(message)]))
    .join('\n');
}

function dataLines(data: readonly string[]): string {
  return data.map((line) => `data: ${line}\n`).join('');
}
