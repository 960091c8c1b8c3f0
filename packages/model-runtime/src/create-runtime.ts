import type { ModelRuntime } from './types.ts';
import type { OpenAiChatQuirks } from './openai-chat/quirks.ts';
import type { AnthropicQuirks } from './anthropic-messages/quirks.ts';
import type { ApiDialect } from './wire/dialect.ts';
import type { WireOptions } from './wire/connection.ts';
import { WireRuntime } from './wire/runtime.ts';

/** Which API is spoken, where, with what key, and where the server differs from what most understand. */
export type ModelRuntimeOptions = WireOptions &
  (
    | { wire: 'openai-chat'; quirks?: OpenAiChatQuirks }
    | { wire: 'openai-responses' | 'google-gemini' }
    | { wire: 'anthropic-messages'; quirks?: AnthropicQuirks }
  );

/**
 * Models behind an address. The code of a wire is loaded with its first request.
 *
 * Throws ToolyardError `bad_config` for what is no http address; everything later comes as parts of the answer.
 *
 * @example
 * const runtime = createModelRuntime({ wire: 'anthropic-messages', baseUrl: 'https://api.anthropic.com', apiKey, fetch, clock });
 * for await (const parts of runtime.chat(request)) show(parts);
 */
export function createModelRuntime(options: ModelRuntimeOptions): ModelRuntime {
  const canContinue = options.wire === 'openai-chat' && options.quirks?.continuing !== undefined;
  return new WireRuntime(options, () => loadDialect(options), canContinue);
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
      return (await import('./google-gemini/dialect.ts')).createDialect(options.newId);
  }
}

export type OpenAiChatOptions = WireOptions & { quirks?: OpenAiChatQuirks };

/** Models behind any address that speaks OpenAI's chat completions: {@link createModelRuntime} for this one wire. */
export function createOpenAiChatRuntime(options: OpenAiChatOptions): ModelRuntime {
  return createModelRuntime({ wire: 'openai-chat', ...options });
}
