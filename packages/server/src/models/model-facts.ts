import type { ModelCatalogue } from '@toolyard/model-runtime/catalogue';
import type { ModelInfo } from '@toolyard/model-runtime';
import type { Clock, Price } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ConfiguredProvider } from './provider-record.ts';

/** Facts from `config.json`; a price of null: no cost is counted. */
type StatedFacts = { price?: Price | null; contextWindow?: number };

/** By `<provider>/<model>`. */
export type StatedModels = Readonly<Record<string, StatedFacts>>;

export type KnownFacts = { price?: Price; contextWindow?: number };

const HOUR_MS = 3_600_000;

/**
 * Prices and limits of models. Facts of the operator override those reported by the provider, which override the
 * catalogue; that is loaded for the first hosted provider.
 */
export class ModelFactsStore {
  readonly #stated: StatedModels;
  readonly #clock: Clock;
  #loading: Promise<ModelCatalogue> | undefined;
  /** Valid for one hour, because some prices depend on the time. */
  #known = new Map<string, KnownFacts>();
  #hour = Number.NaN;

  constructor(stated: StatedModels, clock: Clock) {
    this.#stated = stated;
    this.#clock = clock;
  }

  /** Facts about the models of one provider, loaded together. */
  async of(record: Pick<ConfiguredProvider, 'id' | 'baseUrl' | 'known'>): Promise<(model: ModelInfo) => KnownFacts> {
    const catalogue = record.baseUrl.startsWith('https:') ? await this.#catalogue() : null;
    return ({ id: modelId, contextWindow }) => {
      const catalogued = catalogue === null ? {} : this.#lookUp(catalogue, record, modelId);
      const stated = this.#stated[`${record.id}/${modelId}`] ?? {};
      const size = stated.contextWindow ?? contextWindow ?? catalogued.contextWindow;
      const price = stated.price === undefined ? catalogued.price : (stated.price ?? undefined);
      return { ...defined({ price, contextWindow: size }) };
    };
  }

  #lookUp(
    catalogue: ModelCatalogue,
    { baseUrl, known }: Pick<ConfiguredProvider, 'baseUrl' | 'known'>,
    modelId: string,
  ): KnownFacts {
    const now = this.#clock.now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#known = new Map();
    }
    const plan = known?.plan === true;
    const key = `${baseUrl}\n${String(plan)}\n${modelId}`;
    let facts = this.#known.get(key);
    if (facts === undefined) this.#known.set(key, (facts = catalogue.facts({ baseUrl, plan }, modelId, now)));
    return facts;
  }

  async #catalogue(): Promise<ModelCatalogue> {
    this.#loading ??= import('@toolyard/model-runtime/catalogue').then(({ catalogue }) => catalogue);
    return this.#loading;
  }
}
