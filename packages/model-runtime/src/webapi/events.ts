import type { ErrorCode, ErrorInfo, FinishReason, JsonObject, JsonValue, Price, Usage } from '@toolyard/protocol';
import { costOf, defined, isJsonObject, readTemplates } from '@toolyard/protocol';
import type { StreamPart, WrittenAsText } from '../types.ts';
import { readArguments } from '../wire/arguments.ts';
import { findText, readObject, readObjects, readText } from '../wire/json-values.ts';
import { dataImage } from '../wire/media.ts';

/** One event of a `/webapi/chat` response: `event:` and `data:` of a server-sent event. */
export type WebApiEvent = { event: string; data: JsonValue };

type PartOf<Type extends StreamPart['type']> = Extract<StreamPart, { type: Type }>;
type Forms = { [Type in StreamPart['type']]: (part: PartOf<Type>, answer: EncoderState) => WebApiEvent | null };

/** The state of an answer on which later events depend. */
type EncoderState = {
  provider: string;
  price: Price | undefined;
  outputTokens: number | undefined;
  callTexts: Map<number, string>;
};

/** The event of every stream part; {@link WebApiDecoder} is the inverse. */
const FORMS: Forms = {
  text: ({ text }) => ({ event: 'text', data: text }),
  reasoning: ({ text }) => ({ event: 'reasoning', data: text }),
  reasoning_signature: ({ signature }) => ({ event: 'reasoning_signature', data: signature }),
  tool_call_start({ index, id, name, isText }, { callTexts }) {
    callTexts.set(index, '');
    return callEvent({ index, ...defined({ id, isText }), type: 'function', function: { name } });
  },
  tool_call_delta({ index, argumentsText }, { callTexts }) {
    callTexts.set(index, (callTexts.get(index) ?? '') + argumentsText);
    return callEvent({ index, type: 'function', function: { arguments: argumentsText } });
  },
  tool_call({ index, id, name, arguments: args, argumentsText, text }, { callTexts }) {
    const sent = callTexts.get(index) ?? '';
    callTexts.delete(index);
    const unreadable = args === null ? { unreadable: true } : {};
    const base = { index, ...defined({ id, text }), type: 'function', ...unreadable };
    // Sends the rest of the arguments; if they changed, sends all of them again.
    return argumentsText.startsWith(sent)
      ? callEvent({ ...base, function: { name, arguments: argumentsText.slice(sent.length) }, whole: true })
      : callEvent({ ...base, function: { name }, whole: true, argumentsText });
  },
  malformed_tool_call: ({ raw, reason, text }) => ({
    event: 'malformed_tool_call',
    data: { raw, reason, ...defined({ text }) },
  }),
  image({ mimeType, source }) {
    if ('data' in source) return { event: 'base64_image', data: `data:${mimeType};base64,${source.data}` };
    if (!('url' in source)) return null;
    return { event: 'content_part', data: { partType: 'image', content: source.url, mimeType } };
  },
  citation: ({ type: _, ...citation }) => ({ event: 'grounding', data: { citations: [citation] } }),
  usage({ usage, cost: reportedCost }, state) {
    state.outputTokens = usage.outputTokens;
    const cost = (state.price && costOf(usage, state.price)) ?? reportedCost;
    return { event: 'usage', data: { ...usageData(usage), ...defined({ cost }) } };
  },
  timing({ firstMs, totalMs }, { outputTokens }) {
    const duration = totalMs - firstMs;
    const tps =
      outputTokens !== undefined && outputTokens > 1 && duration > 0 ? (outputTokens / duration) * 1000 : null;
    return {
      event: 'speed',
      data: { ttft: firstMs, latency: totalMs, duration, ...(tps === null ? {} : { tps: Math.round(tps * 10) / 10 }) },
    };
  },
  notice: ({ code, text, templates }) => ({ event: 'notice', data: { code, text, ...defined({ templates }) } }),
  finish: ({ reason }) => ({ event: 'stop', data: reason }),
  error: ({ error: { code, message, ...body } }, { provider }) => ({
    event: 'error',
    data: { type: code, message, provider, ...(Object.keys(body).length === 0 ? {} : { body }) },
  }),
};

function callEvent(call: JsonObject): WebApiEvent {
  return { event: 'tool_calls', data: [call] };
}

const USAGE_FIELDS = {
  inputTokens: 'totalInputTokens',
  outputTokens: 'totalOutputTokens',
  cachedInputTokens: 'inputCachedTokens',
  cacheWriteTokens: 'inputWriteCacheTokens',
  reasoningTokens: 'outputReasoningTokens',
} as const satisfies Record<keyof Usage, string>;

function usageData(usage: Usage): JsonObject {
  const data: JsonObject = {};
  for (const [field, outerField] of Object.entries(USAGE_FIELDS)) {
    const tokens = usage[field as keyof Usage];
    if (tokens !== undefined) data[outerField] = tokens;
  }
  const { inputTokens, outputTokens } = usage;
  if (inputTokens !== undefined && outputTokens !== undefined) data['totalTokens'] = inputTokens + outputTokens;
  return data;
}

/**
 * Encodes the parts of one answer as events of `/webapi/chat`; adjacent text is merged.
 *
 * @example
 * const encoder = new WebApiEncoder('openai');
 * for await (const parts of runtime.chat(request)) {
 *   for (const { event, data } of encoder.encode(parts)) show(event, data);
 * }
 */
export class WebApiEncoder {
  readonly #state: EncoderState;

  /** `provider`: its name in errors. With a `price`, usage includes the cost in US dollars. */
  constructor(provider: string, price?: Price) {
    this.#state = { provider, price, outputTokens: undefined, callTexts: new Map() };
  }

  encode(parts: readonly StreamPart[]): WebApiEvent[] {
    const events: WebApiEvent[] = [];
    for (const part of parts) {
      const event = (FORMS[part.type] as (part: StreamPart, state: EncoderState) => WebApiEvent | null)(
        part,
        this.#state,
      );
      if (event === null) continue;
      const last = events.at(-1);
      const isWords = event.event === 'text' || event.event === 'reasoning';
      const isContinuation = isWords && last?.event === event.event;
      if (isContinuation && typeof last.data === 'string' && typeof event.data === 'string') last.data += event.data;
      else events.push(event);
    }
    return events;
  }
}

type OpenCall = { id: string | undefined; name: string; argumentsText: string };

/**
 * Decodes the events of one answer into parts. Unknown events are ignored.
 *
 * @example
 * const decoder = new WebApiDecoder();
 * const parts: StreamPart[] = [];
 * decoder.push('text', 'Hello', parts);
 * console.log(parts); // [{ type: 'text', text: 'Hello' }]
 */
export class WebApiDecoder {
  /** True after `finish` or `error`; later events are ignored. */
  ended = false;
  readonly #calls = new Map<number, OpenCall>();

  push(event: string, data: JsonValue, out: StreamPart[]): void {
    if (this.ended) return;
    switch (event) {
      case 'text':
      case 'reasoning':
        if (typeof data === 'string' && data !== '') out.push({ type: event, text: data });
        return;
      case 'reasoning_signature':
        if (typeof data === 'string') out.push({ type: 'reasoning_signature', signature: data });
        return;
      case 'tool_calls':
        if (Array.isArray(data)) for (const call of data) if (isJsonObject(call)) this.#call(call, out);
        return;
      case 'malformed_tool_call':
        if (isJsonObject(data)) {
          const said = { raw: readText(data['raw']), reason: readText(data['reason']) };
          out.push({ type: 'malformed_tool_call', ...said, ...defined({ text: readWritten(data['text']) }) });
        }
        return;
      case 'base64_image':
      case 'content_part': {
        const image = readImage(data);
        if (image !== null) out.push(image);
        return;
      }
      case 'grounding':
        out.push(...readCitations(data));
        return;
      case 'usage':
        if (isJsonObject(data)) out.push({ type: 'usage', usage: readUsage(data), ...costIn(data) });
        return;
      case 'speed':
        if (isJsonObject(data)) out.push(...readTiming(data));
        return;
      case 'notice':
        if (isJsonObject(data)) out.push(readNotice(data));
        return;
      case 'stop':
        for (const index of [...this.#calls.keys()]) this.#whole(index, false, out);
        out.push({ type: 'finish', reason: readReason(data) });
        this.ended = true;
        return;
      case 'error':
        this.fail(readError(data), out);
        return;
    }
  }

  /** Ends the answer with an error; a call in progress is never completed. */
  fail(error: ErrorInfo, out: StreamPart[]): void {
    if (this.ended) return;
    out.push({ type: 'error', error });
    this.ended = true;
  }

  #call(call: JsonObject, out: StreamPart[]): void {
    const { index, id, whole } = call;
    const fields = readObject(call['function']);
    if (typeof index !== 'number') return;
    let open = this.#calls.get(index);
    if (open === undefined) {
      open = { id: findText(id), name: readText(fields['name']), argumentsText: '' };
      this.#calls.set(index, open);
      const isText = call['isText'] === true ? { isText: true as const } : {};
      out.push({ type: 'tool_call_start', index, ...defined({ id: open.id }), name: open.name, ...isText });
    }
    const more = readText(fields['arguments']);
    open.argumentsText += more;
    if (typeof call['argumentsText'] === 'string') open.argumentsText = call['argumentsText'];
    if (whole === true) this.#whole(index, call['unreadable'] === true, out, readWritten(call['text']));
    else if (more !== '') out.push({ type: 'tool_call_delta', index, argumentsText: more });
  }

  #whole(index: number, unreadable: boolean, out: StreamPart[], text?: WrittenAsText): void {
    const open = this.#calls.get(index);
    if (open === undefined) return;
    this.#calls.delete(index);
    const { id, name, argumentsText } = open;
    const base = { index, ...defined({ id }), name };
    const args = unreadable ? null : readArguments(argumentsText, false);
    out.push({ type: 'tool_call', ...base, arguments: args, argumentsText, ...defined({ text }) });
  }
}

function readWritten(data: JsonValue | undefined): WrittenAsText | undefined {
  if (!isJsonObject(data)) return undefined;
  const { at, position } = data;
  return {
    raw: readText(data['raw']),
    at: typeof at === 'number' ? at : 0,
    toolMode: data['toolMode'] === 'text' ? 'text' : 'native',
    ...(position === 'quote' || position === 'code' ? { position } : {}),
    ...(data['isNative'] === true ? { isNative: true } : {}),
  };
}

function readImage(data: JsonValue): StreamPart | null {
  if (typeof data === 'string') return dataImage(data);
  if (!isJsonObject(data) || data['partType'] !== 'image') return null;
  const image = dataImage(readText(data['content']));
  const mimeType = readText(data['mimeType']);
  return image === null || mimeType === '' ? image : { ...image, mimeType };
}

function readCitations(data: JsonValue): PartOf<'citation'>[] {
  return readObjects(readObject(data)['citations']).flatMap(({ url, title, text }) =>
    typeof url === 'string'
      ? [{ type: 'citation' as const, url, ...defined({ title: findText(title), text: findText(text) }) }]
      : [],
  );
}

function readUsage(data: JsonObject): Usage {
  const usage: Usage = {};
  for (const [field, outerField] of Object.entries(USAGE_FIELDS)) {
    const tokens = data[outerField];
    if (typeof tokens === 'number') usage[field as keyof Usage] = tokens;
  }
  return usage;
}

function costIn({ cost }: JsonObject): { cost?: number } {
  return typeof cost === 'number' && cost >= 0 ? { cost } : {};
}

function readTiming({ ttft, latency }: JsonObject): PartOf<'timing'>[] {
  return typeof ttft === 'number' && typeof latency === 'number'
    ? [{ type: 'timing', firstMs: ttft, totalMs: latency }]
    : [];
}

const REASONS: ReadonlySet<string> = new Set<FinishReason>([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'error',
  'cancelled',
]);

function readReason(data: JsonValue): FinishReason {
  if (data === 'abort') return 'cancelled';
  return typeof data === 'string' && REASONS.has(data) ? (data as FinishReason) : 'stop';
}

function readNotice(data: JsonObject): StreamPart {
  const templates = readTemplates(data['templates']);
  return { type: 'notice', code: readText(data['code']), text: readText(data['text']), ...defined({ templates }) };
}

/** The error in the data of an event. A newer server may send unknown codes, which are kept. */
function readError(data: JsonValue): ErrorInfo {
  if (!isJsonObject(data))
    return { code: 'bad_response', message: 'The answer ended with an error without a message.' };
  const body = readObject(data['body']);
  const { hint, retryable, retryAfterMs } = body;
  const code = readText(data['type']);
  return {
    code: code === '' ? 'bad_response' : (code as ErrorCode),
    message: readText(data['message']) || 'The answer ended with an error without a message.',
    ...defined({ hint: findText(hint) }),
    ...(retryable === true ? { retryable } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    ...defined({ templates: readTemplates(body['templates']) }),
  };
}
