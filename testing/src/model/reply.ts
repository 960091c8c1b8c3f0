import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { buildReply, encodeEvent, type Chunk, type ModelReply, type ScriptedWireOptions } from './wire.ts';

/** Options of streamed replies in addition to {@link ScriptedWireOptions}. */
export type StreamOptions = ScriptedWireOptions & {
  /** Characters per delta of text, reasoning or arguments; default 8. */
  pieces?: number;
  /** Reasoning, streamed before everything else. */
  reasoning?: string;
  /** The field of the reasoning, which differs between servers. */
  reasoningField?: 'reasoning_content' | 'reasoning';
  /** Sent unchanged, such as `{ prompt_tokens: 3, completion_tokens: 5 }`. */
  usage?: JsonObject;
  /** In a chunk of its own without choices (default), or in the chunk with the finish reason. */
  usageIn?: 'own-chunk' | 'last-chunk';
  /** The finish reason; null sends none. */
  finish?: string | null;
  /** Ends the stream with an error instead of a finish reason; `named` sends it as `event: error`. */
  errorInStream?: { error: JsonValue; named?: boolean };
  /** Further choices, streamed in parallel at index 1, 2 and so on. */
  otherChoices?: readonly string[];
  /** False omits `[DONE]`. */
  done?: boolean;
  model?: string;
  id?: string;
};

/** A tool call of the model. A string as `arguments` is sent unchanged, valid JSON or not. */
export type ScriptedCall = { id?: string; name: string; arguments: JsonObject | string };

export type ToolCallOptions = StreamOptions & {
  /** Text before the calls. */
  text?: string;
  /** Repeats id and name in every delta, not only the first. */
  repeatIds?: boolean;
  /** Omits `index`. */
  withoutIndex?: boolean;
  /** Sends each call in one delta. */
  whole?: boolean;
  /** Interleaves the deltas of several calls. */
  interleaved?: boolean;
};

/** Builders of replies for {@link startModelServer}. */
export const reply = {
  /** A text answer. */
  text(text: string, options: StreamOptions = {}): ModelReply {
    return stream([...reasoningDeltas(options), ...textDeltas(text, options)], 'stop', options);
  },

  /** An answer with tool calls, whose arguments are streamed in chunks. */
  toolCalls(calls: readonly ScriptedCall[], options: ToolCallOptions = {}): ModelReply {
    const before = [...reasoningDeltas(options), ...textDeltas(options.text ?? '', options)];
    return stream([...before, ...callDeltas(calls, options)], 'tool_calls', options);
  },

  /** An event stream of these payloads, for what the other builders cannot express. */
  events(payloads: readonly (JsonValue | string)[], options: ScriptedWireOptions = {}): ModelReply {
    const encode = (payload: JsonValue) => (typeof payload === 'string' ? payload : JSON.stringify(payload));
    return buildReply(
      'text/event-stream',
      payloads.map((payload) => encodeEvent(encode(payload), options)),
      options,
    );
  },

  /**
   * These exact bytes in these exact writes. The content type is that of an event stream unless `headers` override it.
   */
  raw(writes: readonly Chunk[], options: ScriptedWireOptions = {}): ModelReply {
    return buildReply('text/event-stream', writes, options);
  },

  /** A plain JSON body, as for a request that does not stream. */
  json(body: JsonValue, options: ScriptedWireOptions = {}): ModelReply {
    return buildReply('application/json', [JSON.stringify(body)], options);
  },

  /** An error before the stream; a string becomes OpenAI's `{ error: { message } }`. */
  error(status: number, body: JsonValue, headers: Readonly<Record<string, string>> = {}): ModelReply {
    return reply.json(typeof body === 'string' ? { error: { message: body } } : body, { status, headers });
  },

  /** The page of a URL that is not a model server. */
  html(options: ScriptedWireOptions = {}): ModelReply {
    return buildReply('text/html', ['<!doctype html><html><body><h1>It works!</h1></body></html>'], options);
  },
};

const DEFAULT_PIECE = 8;

function stream(deltas: readonly JsonObject[], finish: string, options: StreamOptions): ModelReply {
  const chunk = (choices: JsonValue[], more: JsonObject = {}): JsonObject => ({
    id: options.id ?? 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 0,
    model: options.model ?? 'scripted',
    choices,
    ...more,
  });
  const delta = (value: JsonObject, index = 0) => chunk([{ index, delta: value, finish_reason: null }]);
  const others = (options.otherChoices ?? []).map((text) => textDeltas(text, options));

  const payloads = [delta({ role: 'assistant', content: '' })];
  const rounds = Math.max(deltas.length, ...others.map((other) => other.length));
  for (let round = 0; round < rounds; round++) {
    [deltas, ...others].forEach((choice, index) => {
      const value = choice[round];
      if (value !== undefined) payloads.push(delta(value, index));
    });
  }
  const events = payloads.map((payload) => encodeEvent(JSON.stringify(payload), options));
  events.push(...createEnd(finish, options, chunk, others.length));
  return buildReply('text/event-stream', events, options);
}

function createEnd(
  usualFinish: string,
  options: StreamOptions,
  chunk: (choices: JsonValue[], more?: JsonObject) => JsonObject,
  otherChoices: number,
): string[] {
  if (options.errorInStream !== undefined) {
    const { error, named } = options.errorInStream;
    return [encodeEvent(JSON.stringify({ error }), options, named === true ? 'error' : undefined)];
  }
  const ends: string[] = [];
  const finish = options.finish === undefined ? usualFinish : options.finish;
  const usage: JsonObject = options.usage === undefined ? {} : { usage: options.usage };
  const inLast = options.usageIn === 'last-chunk';
  if (finish !== null) {
    const createFinish = (index: number) => ({ index, delta: {}, finish_reason: finish });
    for (let index = otherChoices; index > 0; index--) {
      ends.push(encodeEvent(JSON.stringify(chunk([createFinish(index)])), options));
    }
    ends.push(encodeEvent(JSON.stringify(chunk([createFinish(0)], inLast ? usage : {})), options));
  }
  if (options.usage !== undefined && (!inLast || finish === null)) {
    ends.push(encodeEvent(JSON.stringify(chunk([], usage)), options));
  }
  if (options.done !== false) ends.push(encodeEvent('[DONE]', options));
  return ends;
}

function reasoningDeltas(options: StreamOptions): JsonObject[] {
  const field = options.reasoningField ?? 'reasoning_content';
  return inPieces(options.reasoning ?? '', options).map((piece) => ({ [field]: piece }));
}

function textDeltas(text: string, options: StreamOptions): JsonObject[] {
  return inPieces(text, options).map((piece) => ({ content: piece }));
}

function callDeltas(calls: readonly ScriptedCall[], options: ToolCallOptions): JsonObject[] {
  const perCall = calls.map((call, index) => deltasOfCall(call, index, options));
  if (options.interleaved !== true) return perCall.flat();
  const mixed: JsonObject[] = [];
  for (let turn = 0; perCall.some((deltas) => turn < deltas.length); turn++) {
    for (const deltas of perCall) mixed.push(...deltas.slice(turn, turn + 1));
  }
  return mixed;
}

function deltasOfCall(call: ScriptedCall, index: number, options: ToolCallOptions): JsonObject[] {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const head = { id: call.id ?? `call_${index + 1}`, type: 'function' };
  const place = options.withoutIndex === true ? {} : { index };
  const toDelta = (entry: JsonObject): JsonObject => ({ tool_calls: [{ ...place, ...entry }] });
  if (options.whole === true) return [toDelta({ ...head, function: { name: call.name, arguments: text } })];
  const first = toDelta({ ...head, function: { name: call.name, arguments: '' } });
  const rest = inPieces(text, options).map((piece) =>
    options.repeatIds === true
      ? toDelta({ ...head, function: { name: call.name, arguments: piece } })
      : toDelta({ function: { arguments: piece } }),
  );
  return [first, ...rest];
}

/** Splits between code points: a lone surrogate would be another fault than the scripted one. */
export function inPieces(text: string, options: { pieces?: number } = {}): string[] {
  const codePoints = Array.from(text);
  const size = Math.max(1, options.pieces ?? DEFAULT_PIECE);
  const pieces: string[] = [];
  for (let start = 0; start < codePoints.length; start += size)
    pieces.push(codePoints.slice(start, start + size).join(''));
  return pieces;
}
