import type { Price } from '@toolyard/protocol';

/**
 * Facts about a model that its provider does not report. Absent fields are unknown; an absent price does not mean free.
 */
export type PriceListEntry = { price?: Price; contextWindow?: number };

/** Prices and sizes of the models of hosted providers. */
export interface PriceList {
  /**
   * @param place The base URL determines the price, regardless of the provider's name; `plan` marks a subscription,
   * whose tokens have
   *   no price
   * @param at Time of the request in milliseconds since 1970: prices change, some by the hour
   */
  facts(place: { baseUrl: string; plan?: boolean }, modelId: string, at: number): PriceListEntry;
}
