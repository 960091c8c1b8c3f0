import { systemClock, type JsonObject } from '@toolyard/protocol';
import { startModelServer, type ModelReply } from '@toolyard/testing';
import { createOpenAiChatRuntime, type OpenAiChatOptions } from '../create-runtime.ts';
import type { ChatRequest, StreamPart } from '../types.ts';
import { collect, request, tool } from './requests.ts';

/** The parts of one scripted answer. */
export async function ask(
  scripted: ModelReply,
  more: Partial<ChatRequest> = {},
  options: Partial<OpenAiChatOptions> = {},
): Promise<StreamPart[]> {
  await using server = await startModelServer([scripted]);
  const runtime = createOpenAiChatRuntime({
    baseUrl: server.url,
    fetch: globalThis.fetch,
    clock: systemClock,
    maxRetries: 0,
    ...options,
  });
  // `await` keeps the server running until the answer is complete.
  return await collect(runtime, request('hi', more));
}

export const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, delta, ...more }],
});
export const finish = (reason: string): JsonObject => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
export const tools = [tool('f'), tool('g')];
