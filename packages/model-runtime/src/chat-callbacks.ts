import type { JsonObject, Usage } from '@toolyard/protocol';
import type { ChatCallbacks, ChatSummary, StreamPart } from './types.ts';

/** The same batches of parts, reported to `callbacks` if there are any. */
export function withCallbacks(
  batches: AsyncIterable<readonly StreamPart[]>,
  callbacks: ChatCallbacks | undefined,
): AsyncIterable<readonly StreamPart[]> {
  return callbacks === undefined ? batches : reported(batches, callbacks);
}

async function* reported(
  batches: AsyncIterable<readonly StreamPart[]>,
  callbacks: ChatCallbacks,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  const answer = new AnswerSummary(callbacks);
  callbacks.onStart?.();
  try {
    for await (const batch of batches) {
      for (const part of batch) answer.take(part);
      yield batch;
    }
  } finally {
    callbacks.onFinal?.(answer.summary());
  }
}

class AnswerSummary {
  readonly #callbacks: ChatCallbacks;
  #text = '';
  #reasoning = '';
  readonly #calls: { id?: string; name: string; arguments: JsonObject }[] = [];
  #usage: { usage: Usage; cost?: number } | undefined;
  #end: Extract<StreamPart, { type: 'finish' | 'error' }> | undefined;
  #hasToken = false;

  constructor(callbacks: ChatCallbacks) {
    this.#callbacks = callbacks;
  }

  take(part: StreamPart): void {
    switch (part.type) {
      case 'text':
        this.#token();
        this.#text += part.text;
        return;
      case 'reasoning':
        this.#token();
        this.#reasoning += part.text;
        return;
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'malformed_tool_call':
      case 'image':
        this.#token();
        return;
      case 'tool_call': {
        this.#token();
        if (part.arguments === null) return;
        const { id, name, arguments: input } = part;
        const call = { ...(id === undefined ? {} : { id }), name, arguments: input };
        this.#calls.push(call);
        this.#callbacks.onToolCall?.(call);
        return;
      }
      case 'usage': {
        const { usage, cost } = part;
        this.#usage = { usage, ...(cost === undefined ? {} : { cost }) };
        this.#callbacks.onUsage?.(usage, cost);
        return;
      }
      case 'finish':
      case 'error':
        this.#end = part;
        return;
      case 'reasoning_signature':
      case 'citation':
      case 'timing':
      case 'notice':
        return;
    }
  }

  summary(): ChatSummary {
    const end = this.#end;
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls: this.#calls,
      ...this.#usage,
      ...(end === undefined
        ? { outcome: 'stopped' }
        : end.type === 'finish'
          ? { outcome: 'done', finishReason: end.reason }
          : { outcome: 'failed', error: end.error }),
    };
  }

  #token(): void {
    if (this.#hasToken) return;
    this.#hasToken = true;
    this.#callbacks.onFirstToken?.();
  }
}
