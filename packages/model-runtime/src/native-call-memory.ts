import type { ChatRequest, ModelRuntime, StreamPart, WrittenAsText } from './types.ts';
import { withChat } from './with-chat.ts';

/** Which models of a provider have made native calls. */
export type NativeCallMemory = {
  has(model: string): boolean | Promise<boolean>;
  add(model: string): void | Promise<void>;
};

/**
 * The runtime, which marks calls that a model wrote as text although it has made native calls before. The memory is
 * asked only about answers with calls.
 *
 * @example
 * const models = new Set<string>();
 * const memory = { has: (id: string) => models.has(id), add: (id: string) => void models.add(id) };
 * const remembering = rememberNativeCalls(runtime, memory);
 */
export function rememberNativeCalls(runtime: ModelRuntime, memory: NativeCallMemory): ModelRuntime {
  return withChat(runtime, (request, options) => {
    const answer = runtime.chat(request, options);
    return request.tools.length === 0 ? answer : marked(answer, request, memory);
  });
}

async function* marked(
  answer: AsyncIterable<readonly StreamPart[]>,
  { model }: ChatRequest,
  memory: NativeCallMemory,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  for await (const batch of answer) {
    if (batch.some((part) => part.type === 'tool_call' && part.text === undefined)) await memory.add(model);
    if (batch.some(isWritten) && (await memory.has(model))) {
      yield batch.map((part) => (isWritten(part) ? { ...part, text: { ...part.text, isNative: true } } : part));
    } else {
      yield batch;
    }
  }
}

type WrittenPart = Extract<StreamPart, { type: 'tool_call' | 'malformed_tool_call' }> & { text: WrittenAsText };

function isWritten(part: StreamPart): part is WrittenPart {
  return (part.type === 'tool_call' || part.type === 'malformed_tool_call') && part.text !== undefined;
}
