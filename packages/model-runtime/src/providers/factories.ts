import { defined } from '@toolyard/protocol';
import { createModelRuntime } from '../create-runtime.ts';
import type { ModelRuntime } from '../types.ts';
import type { ModelListing } from '../wire/model-listing.ts';
import type { WireOptions } from '../wire/connection.ts';
import type { AnthropicQuirks } from '../anthropic-messages/quirks.ts';
import type { OpenAiChatQuirks } from '../openai-chat/quirks.ts';
import type { WireFacts } from './types.ts';

/** What tells one provider of a wire from another. A record of `loadProviders` is one, too. */
export type CompatibleProvider<Quirks> = {
  /** Where its API lies; `baseUrl` of the options may name another place. */
  baseUrl: string;
  quirks?: Quirks;
  models?: ModelListing;
  /** Headers that go along with every request. */
  headers?: Record<string, string>;
};

/** What is particular to one use of a provider: at least `fetch` and `clock`, mostly `apiKey`. */
export type ProviderOptions = Omit<WireOptions, 'baseUrl' | 'models'> &
  Partial<Pick<WireOptions, 'baseUrl' | 'models'>>;

/**
 * Makes a provider of anything that speaks OpenAI's chat completions.
 *
 * @example
 * const example = openaiCompatibleFactory({ baseUrl: 'https://api.example.com/v1', quirks: { reasoning: 'thinking' } });
 * const runtime = example({ apiKey, fetch, clock });
 */
export function openaiCompatibleFactory(
  provider: CompatibleProvider<OpenAiChatQuirks>,
): (options: ProviderOptions) => ModelRuntime {
  const { quirks } = provider;
  return (options) => createProviderRuntime({ ...provider, wire: 'openai-chat', ...(quirks && { quirks }) }, options);
}

/** Makes a provider of anything that speaks Anthropic's messages: {@link openaiCompatibleFactory} for that wire. */
export function anthropicCompatibleFactory(
  provider: CompatibleProvider<AnthropicQuirks>,
): (options: ProviderOptions) => ModelRuntime {
  const { quirks } = provider;
  return (options) =>
    createProviderRuntime({ ...provider, wire: 'anthropic-messages', ...(quirks && { quirks }) }, options);
}

/** The models of a provider, over whichever wire it speaks. Throws ToolyardError `bad_config` for a bad address. */
export function createProviderRuntime(
  provider: WireFacts & Omit<CompatibleProvider<never>, 'quirks'>,
  options: ProviderOptions,
): ModelRuntime {
  const { baseUrl, models, headers } = provider;
  const common = {
    baseUrl,
    ...defined({ models }),
    ...options,
    headers: { ...headers, ...options.headers },
  };
  switch (provider.wire) {
    case 'openai-chat': {
      const { wire, quirks } = provider;
      return createModelRuntime({ ...common, wire, ...(quirks && { quirks }) });
    }
    case 'anthropic-messages': {
      const { wire, quirks } = provider;
      return createModelRuntime({ ...common, wire, ...(quirks && { quirks }) });
    }
    default:
      return createModelRuntime({ ...common, wire: provider.wire });
  }
}
