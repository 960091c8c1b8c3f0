import type { ModelCatalogue } from '@toolyard/model-runtime/catalogue';
import type { ModelInfo } from '@toolyard/model-runtime';
import type { Clock, Price } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ConfiguredProvider } from './provider-record.ts';

/** Facts from `config.json`; a price of null: no cost is counted. */
type StatedDetails = { price?: Price | null; contextWindow?: number };

/** By `<provider>/<model>`. */
export type StatedModels = Readonly<Record<string, StatedDetails>>;

export type KnownDetails = { price?: Price; contextWindow?: number };

const HOUR_MS = 3_600_000;

/**
 * Prices and limits of models. Facts of the operator override those reported by the provider, which override the
 * price list; that is loaded for the first hosted provider.
 */
export class ModelDetailsStore {
  readonly #stated: StatedModels;
  readonly #clock: Clock;
  #loading: Promise<ModelCatalogue> | undefined;
  /** Valid for one hour, because some prices depend on the time. */
  #known = new Map<string, KnownDetails>();
  #hour = Number.NaN;

  constructor(stated: StatedModels, clock: Clock) {
    this.#stated = stated;
    this.#clock = clock;
  }

  /** Facts about the models of one provider, loaded together. */
  async of(record: Pick<ConfiguredProvider, 'id' | 'baseUrl' | 'known'>): Promise<(model: ModelInfo) => KnownDetails> {
    const priceList = record.baseUrl.startsWith('https:') ? await this.#priceList() : null;
    return ({ id: modelId, contextWindow }) => {
      const listed = priceList === null ? {} : this.#lookUp(priceList, record, modelId);
      const stated = this.#stated[`${record.id}/${modelId}`] ?? {};
      const size = stated.contextWindow ?? contextWindow ?? listed.contextWindow;
      const price = stated.price === undefined ? listed.price : (stated.price ?? undefined);
      return { ...defined({ price, contextWindow: size }) };
    };
  }

  #lookUp(
    priceList: ModelCatalogue,
    { baseUrl, known }: Pick<ConfiguredProvider, 'baseUrl' | 'known'>,
    modelId: string,
  ): KnownDetails {
    const now = this.#clock.now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#known = new Map();
    }
    const plan = known?.plan === true;
    const key = `${baseUrl}\n${String(plan)}\n${modelId}`;
    let details = this.#known.get(key);
    if (details === undefined) this.#known.set(key, (details = priceList.facts({ baseUrl, plan }, modelId, now)));
    return details;
  }

  async #priceList(): Promise<ModelCatalogue> {
    this.#loading ??= import('@toolyard/model-runtime/catalogue').then(({ catalogue }) => catalogue);
    return this.#loading;
  }
}
