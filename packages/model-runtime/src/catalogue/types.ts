import type { Price } from '@toolyard/protocol';

/** What is known of a model, beside what its provider tells. What is absent is unknown, a price above all. */
export type ModelFacts = { price?: Price; contextWindow?: number };

/** Prices and sizes of the models of hosted providers. */
export interface ModelCatalogue {
  /**
   * @param place The address decides what a model costs, whatever its provider is called; with `plan` a subscription
   *   pays, and its tokens have no price
   * @param at When it is asked, in milliseconds since 1970: prices change, and some with the hour
   */
  facts(place: { baseUrl: string; plan?: boolean }, modelId: string, at: number): ModelFacts;
}
