import type { ModelRuntime, StreamPart } from './types.ts';
import type { OpenAiChatQuirks } from './openai-chat/quirks.ts';
import type { WireFacts } from './providers/types.ts';
import type { ApiDialect } from './wire/dialect.ts';
import type { WireOptions } from './wire/connection.ts';
import { getOrigin } from './wire/base-url.ts';
import type { WireRuntime } from './wire/runtime.ts';
import { nameIn } from './wire/shortened.ts';

/** API format, base URL, key, and deviations of the server from the common behaviour. */
export type ModelRuntimeOptions = WireOptions & WireFacts;

/**
 * Creates a client for the models at a base URL. What requests need is loaded with the first one.
 * Throws ToolyardError `bad_config` unless the base URL is an http(s) URL; all later errors are parts of the answer.
 *
 * @example
 * const runtime = createModelRuntime({ wire: 'openai-chat', baseUrl: 'http://127.0.0.1:8080', fetch, clock, newId });
 * for await (const batch of runtime.chat(request)) for (const part of batch) show(part);
 */
export function createModelRuntime(options: ModelRuntimeOptions): ModelRuntime {
  const provider = getOrigin(options.baseUrl);
  let opened: WireRuntime | undefined;
  const open = async (): Promise<WireRuntime> => {
    const { WireRuntime } = await import('./wire/runtime.ts');
    return (opened ??= new WireRuntime(options, () => loadDialect(options)));
  };
  return {
    provider,
    label: nameIn(options.label) ?? provider,
    canContinue: options.wire === 'openai-chat' && options.quirks?.continuing !== undefined,
    chat: (request, call) => opened?.chat(request, call) ?? firstChat(open, request, call),
    models: async (call) => (await open()).models(call),
    embeddings: async (request, call) => (await open()).embeddings(request, call),
    createImage: async (request, call) => (await open()).createImage(request, call),
    textToSpeech: async (request, call) => (await open()).textToSpeech(request, call),
    transcribe: async (request, call) => (await open()).transcribe(request, call),
    generateObject: async (request, call) => (await open()).generateObject(request, call),
  };
}

async function* firstChat(
  open: () => Promise<ModelRuntime>,
  ...[request, options]: Parameters<ModelRuntime['chat']>
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  yield* (await open()).chat(request, options);
}

async function loadDialect(options: ModelRuntimeOptions): Promise<ApiDialect> {
  switch (options.wire) {
    case 'openai-chat':
      return (await import('./openai-chat/dialect.ts')).createDialect(options.quirks, options.newId);
    case 'openai-responses':
      return (await import('./openai-responses/dialect.ts')).createDialect(options.newId);
    case 'anthropic-messages':
      return (await import('./anthropic-messages/dialect.ts')).createDialect(options.quirks, options.newId);
    case 'google-gemini':
      return (await import('./google-gemini/dialect.ts')).createDialect(options.quirks, options.newId);
    case 'bedrock-converse':
      return (await import('./bedrock-converse/dialect.ts')).createDialect(options.newId);
  }
}

/** Options of {@link createOpenAiChatRuntime}. */
export type OpenAiChatOptions = WireOptions & { quirks?: OpenAiChatQuirks };

/**
 * Creates a client for any server with the OpenAI Chat Completions API: {@link createModelRuntime} for this wire.
 *
 * @example
 * const runtime = createOpenAiChatRuntime({ baseUrl: 'http://127.0.0.1:8080', fetch, clock: systemClock, newId });
 * console.log((await runtime.models()).map(({ id }) => id));
 */
export function createOpenAiChatRuntime(options: OpenAiChatOptions): ModelRuntime {
  return createModelRuntime({ wire: 'openai-chat', ...options });
}
