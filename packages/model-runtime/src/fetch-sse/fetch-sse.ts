import {
  isAbortError,
  type Clock,
  type ErrorInfo,
  type Fetch,
  type FinishReason,
  type Usage,
} from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { readChat } from './read-chat.ts';

type PartOf<Type extends StreamPart['type']> = Extract<StreamPart, { type: Type }>;
/** A call that has arrived completely. */
export type CompleteToolCall = Omit<PartOf<'tool_call'>, 'type' | 'index'>;

/** Timing of an answer: milliseconds to its first and last token, and tokens per second in between if known. */
export type Speed = { firstMs: number; totalMs: number; tokensPerSecond?: number };

/** Everything in an answer besides its text. */
export type CompleteAnswer = {
  reason: FinishReason;
  reasoning: string;
  /** Opaque; sent back to the model with the conversation. */
  reasoningSignatures: string[];
  toolCalls: CompleteToolCall[];
  malformedToolCalls: { raw: string; reason: string }[];
  images: Omit<PartOf<'image'>, 'type'>[];
  citations: Omit<PartOf<'citation'>, 'type'>[];
  notices: { code: string; text: string }[];
  usage?: Usage;
  /** US dollars; absent if the price is unknown. */
  cost?: number;
  speed?: Speed;
};

/** Options of {@link fetchSSE}. */
export type FetchSseOptions = {
  /** The JSON body of the request: `{ model, messages, ... }`. */
  body: object;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Default: the global `fetch`. */
  fetch?: Fetch;
  clock?: Clock;
  idleTimeoutMs?: number;
  /** Called for each part as it arrives; an exception stops reading. */
  onMessageHandle?: (part: StreamPart) => void;
  /** Called last if the answer completed. */
  onFinish?: (text: string, answer: CompleteAnswer) => void | Promise<void>;
  /** Called last if the answer failed; `text` and `answer` hold what was received before. */
  onErrorHandle?: (error: ErrorInfo, text: string, answer: Omit<CompleteAnswer, 'reason'>) => void;
  /** Called last if `signal` was aborted; `text` is what was received before. */
  onAbort?: (text: string, answer: Omit<CompleteAnswer, 'reason'>) => void | Promise<void>;
};

/**
 * Sends a request to `/webapi/chat/:provider` and reports the answer by callbacks: every part, then exactly one of
 * `onFinish`, `onErrorHandle` and `onAbort`. Resolves after that one; rejects only with an exception of a callback.
 *
 * @example
 * await fetchSSE('/webapi/chat/openai', {
 *   body: { model: 'gpt-5', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
 *   onMessageHandle: (part) => part.type === 'text' && show(part.text),
 *   onFinish: (text, { usage }) => show(text, usage),
 *   onErrorHandle: ({ message, hint }) => show(message, hint),
 * });
 */
export async function fetchSSE(url: string, options: FetchSseOptions): Promise<void> {
  const { body, headers, signal, clock, idleTimeoutMs, onMessageHandle, onFinish, onErrorHandle, onAbort } = options;
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  };
  const collected = new AnswerCollector();
  try {
    for await (const batch of readChat(url, init, { fetch, signal, clock, idleTimeoutMs })) {
      for (const part of batch) {
        collected.add(part);
        onMessageHandle?.(part);
      }
    }
  } catch (thrown) {
    if (!isAbortError(thrown) || signal?.aborted !== true) throw thrown;
    await onAbort?.(collected.text, collected.answer);
    return;
  }
  const { end, text, answer } = collected;
  if (end?.type === 'finish') await onFinish?.(text, { ...answer, reason: end.reason });
  else if (end !== null) onErrorHandle?.(end.error, text, answer);
}

/** Accumulates the parts of an answer. */
class AnswerCollector {
  end: PartOf<'finish'> | PartOf<'error'> | null = null;
  readonly answer: Omit<CompleteAnswer, 'reason'> = {
    reasoning: '',
    reasoningSignatures: [],
    toolCalls: [],
    malformedToolCalls: [],
    images: [],
    citations: [],
    notices: [],
  };
  text = '';

  add(part: StreamPart): void {
    const { answer } = this;
    switch (part.type) {
      case 'text':
        this.text += part.text;
        return;
      case 'reasoning':
        answer.reasoning += part.text;
        return;
      case 'reasoning_signature':
        answer.reasoningSignatures.push(part.signature);
        return;
      case 'tool_call_start':
      case 'tool_call_delta':
        return;
      case 'tool_call': {
        const { type: _type, index: _index, ...call } = part;
        answer.toolCalls.push(call);
        return;
      }
      case 'malformed_tool_call':
        answer.malformedToolCalls.push({ raw: part.raw, reason: part.reason });
        return;
      case 'image':
        answer.images.push({ mimeType: part.mimeType, source: part.source });
        return;
      case 'citation': {
        const { type: _, ...citation } = part;
        answer.citations.push(citation);
        return;
      }
      case 'usage':
        answer.usage = part.usage;
        if (part.cost !== undefined) answer.cost = part.cost;
        return;
      case 'timing':
        answer.speed = getSpeed(part, answer.usage);
        return;
      case 'notice':
        answer.notices.push({ code: part.code, text: part.text });
        return;
      case 'finish':
      case 'error':
        this.end = part;
        return;
    }
  }
}

function getSpeed({ firstMs, totalMs }: PartOf<'timing'>, usage: Usage | undefined): Speed {
  const tokens = usage?.outputTokens ?? 0;
  const streamingMs = totalMs - firstMs;
  return {
    firstMs,
    totalMs,
    ...(tokens > 1 && streamingMs > 0 ? { tokensPerSecond: (tokens / streamingMs) * 1000 } : {}),
  };
}
