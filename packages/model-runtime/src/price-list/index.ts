import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { defined } from '@toolyard/protocol';
import { readPrice } from './read-price.ts';
import type { PriceList, PriceListEntry } from './types.ts';

export type { PriceList as ModelCatalogue, PriceListEntry as ModelFacts } from './types.ts';

/**
 * The price list bundled with this release. It makes no requests and is as old as the release.
 *
 * @example
 * const provider = { baseUrl: 'https://api.mistral.ai/v1' };
 * const { price, contextWindow } = catalogue.facts(provider, 'mistral-large-latest', Date.now());
 */
export const catalogue: PriceList = {
  facts({ baseUrl, plan = false }, modelId, at) {
    const address = hostedAddress(baseUrl);
    if (address === null) return {};
    const provider = findProvider({ providerApiUrl: address });
    if (provider === undefined) return {};
    // Gemini's model lists prefix names with `models/`.
    const name = modelId.replace(/^models\//, '');
    const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, { provider, timestamp: new Date(at) });
    if (found === null) return {};
    const price = plan || isPlan(provider.id, address) ? undefined : readPrice(found.model_price);
    const { context_window: contextWindow } = found.model;
    return defined({ price, contextWindow }) satisfies PriceListEntry;
  },
};

/**
 * The price list lists subscriptions with per-token prices of other providers, or on the host of a per-token service.
 */
function isPlan(providerId: string, address: string): boolean {
  return providerId === 'github-copilot' || providerId === 'cursor' || /\/coding(\/|$)/.test(address);
}

/** Only `https:` URLs have prices. Query, user name and password are ignored. */
function hostedAddress(baseUrl: string): string | null {
  try {
    const { protocol, host, pathname } = new URL(baseUrl);
    return protocol === 'https:' ? `https://${host}${pathname}` : null;
  } catch {
    return null;
  }
}
