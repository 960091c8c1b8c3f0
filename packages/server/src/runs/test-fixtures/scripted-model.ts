import type { ModelRuntime, StreamPart, ChatRequest } from '@toolyard/model-runtime';
import type { JsonObject } from '@toolyard/protocol';

/** One answer: batches of parts, immediate or streamed. */
export type ScriptedAnswer =
  | readonly (readonly StreamPart[])[]
  | ((request: ChatRequest, signal: AbortSignal) => AsyncIterable<readonly StreamPart[]>);

/** A model in this process that returns these answers, one per request, and records the requests. */
export type ScriptedModel = ModelRuntime & { requests: ChatRequest[] };

export function scriptedModel(script: readonly ScriptedAnswer[] | ((index: number) => ScriptedAnswer)): ScriptedModel {
  const requests: ChatRequest[] = [];
  return {
    provider: 'scripted',
    requests,
    async *chat(request, { signal = new AbortController().signal } = {}) {
      const index = requests.length;
      requests.push({ ...request, messages: [...request.messages] });
      const answer = typeof script === 'function' ? script(index) : script[index];
      if (!answer) throw new Error(`the script has no answer ${index + 1}`);
      const batches = typeof answer === 'function' ? answer(request, signal) : answer;
      for await (const batch of batches) {
        signal.throwIfAborted();
        yield batch;
      }
    },
    models: () => Promise.resolve([{ id: 'scripted-1' }]),
  };
}

/** Words, one batch each. */
export function says(...words: string[]): ScriptedAnswer {
  return [
    ...words.map((text): StreamPart[] => [{ type: 'text', text }]),
    [
      { type: 'usage', usage: { inputTokens: 1, outputTokens: words.length } },
      { type: 'finish', reason: 'stop' },
    ],
  ];
}

/** An answer with tool calls. */
export function calls(...toolCalls: { name: string; arguments?: JsonObject }[]): ScriptedAnswer {
  const parts = toolCalls.map(({ name, arguments: args = {} }, index): StreamPart => {
    return { type: 'tool_call', index, name, arguments: args, argumentsText: JSON.stringify(args) };
  });
  return [[...parts, { type: 'finish', reason: 'tool_calls' }]];
}

/** Streams `before`, then pauses until it is aborted or `go` is called. */
export function hangsAfter(...before: string[]): { answer: ScriptedAnswer; go: (...after: string[]) => void } {
  let release: (words: string[]) => void = () => {};
  const released = new Promise<string[]>((resolve) => (release = resolve));
  return {
    go: (...after) => release(after),
    answer: async function* (_request, signal) {
      for (const text of before) yield [{ type: 'text', text }];
      const aborted = new Promise<never>((_resolve, reject) => {
        const abort = (): void => reject(new DOMException('stopped', 'AbortError'));
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      });
      aborted.catch(() => {});
      const after = await Promise.race([released, aborted]);
      for (const text of after) yield [{ type: 'text', text }];
      yield [{ type: 'finish', reason: 'stop' }];
    },
  };
}
