import { defined } from '@toolyard/protocol';
import { createModelRuntime } from '../create-runtime.ts';
import type { ModelRuntime } from '../types.ts';
import type { ModelListing } from '../wire/model-listing.ts';
import type { WireOptions } from '../wire/connection.ts';
import type { AnthropicQuirks } from '../anthropic-messages/quirks.ts';
import type { OpenAiChatQuirks } from '../openai-chat/quirks.ts';
import type { WireFacts } from './types.ts';

/** What distinguishes one provider of a wire from another. A record of `loadProviders` qualifies. */
export type CompatibleProvider<Quirks> = {
  /** Default base URL; `baseUrl` of the options overrides it. */
  baseUrl: string;
  quirks?: Quirks;
  models?: ModelListing;
  /** Headers sent with every request. */
  headers?: Record<string, string>;
};

/** Options for one use of a provider: at least `fetch` and `clock`, usually `apiKey`. */
export type ProviderOptions = Omit<WireOptions, 'baseUrl' | 'models'> &
  Partial<Pick<WireOptions, 'baseUrl' | 'models'>>;

/**
 * Creates a provider factory for any OpenAI Chat Completions server.
 *
 * @example
 * const quirks = { reasoning: 'thinking' } as const;
 * const example = openaiCompatibleFactory({ baseUrl: 'https://api.example.com/v1', quirks });
 * const runtime = example({ apiKey, fetch, clock, newId });
 */
export function openaiCompatibleFactory(
  provider: CompatibleProvider<OpenAiChatQuirks>,
): (options: ProviderOptions) => ModelRuntime {
  return (options) => createProviderRuntime({ ...provider, wire: 'openai-chat' }, options);
}

/**
 * Creates a provider factory for any Anthropic Messages server: {@link openaiCompatibleFactory} for that wire.
 *
 * @example
 * const example = anthropicCompatibleFactory({ baseUrl: 'https://api.example.com/v1' });
 * const runtime = example({ apiKey, fetch, clock: systemClock, newId });
 */
export function anthropicCompatibleFactory(
  provider: CompatibleProvider<AnthropicQuirks>,
): (options: ProviderOptions) => ModelRuntime {
  return (options) => createProviderRuntime({ ...provider, wire: 'anthropic-messages' }, options);
}

/**
 * Creates the runtime of a provider, over the wire of its record. Throws ToolyardError `bad_config` for an invalid base
 * URL.
 *
 * @example
 * const provider = (await loadProviders()).find(({ id }) => id === 'mistral');
 * if (provider) console.log(createProviderRuntime(provider, { apiKey, fetch, clock: systemClock, newId }).provider);
 */
export function createProviderRuntime(
  provider: WireFacts & Omit<CompatibleProvider<never>, 'quirks'>,
  options: ProviderOptions,
): ModelRuntime {
  const { wire, baseUrl, models, headers } = provider;
  const quirks = 'quirks' in provider ? provider.quirks : undefined;
  return createModelRuntime({
    baseUrl,
    ...defined({ models }),
    ...options,
    headers: { ...headers, ...options.headers },
    // A record has the quirks of its API format.
    ...({ wire, ...defined({ quirks }) } as WireFacts),
  });
}
