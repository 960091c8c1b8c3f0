import type { ModelReference, ModelsView, ModelView } from '@toolyard/protocol';
import { api as realApi, type ApiError } from '../api/client.ts';
import { isDemo, onlyDemo, sameModel } from '../models/model-list.ts';
import { live as realLive } from './live.svelte.ts';
import { asApiError } from './failure.ts';
import { keepUp } from './keep-up.ts';

type Deps = { api: Pick<typeof realApi, 'get'>; live: Pick<typeof realLive, 'onChanged' | 'onHello' | 'status'> };

/** Every model that is to be had now. */
export class ModelsState {
  view: ModelsView | null = $state.raw(null);
  loading = $state(false);
  error: ApiError | null = $state.raw(null);
  readonly #deps: Deps;
  #asked = 0;
  #watching = false;

  constructor(deps: Deps = { api: realApi, live: realLive }) {
    this.#deps = deps;
  }

  /** Loads once and keeps up from then on; may be called by whoever shows models. */
  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    keepUp(this.#deps.live, ['providers', 'settings'], () => void this.load());
  }

  /** `refresh` has the server ask every provider again, and look for local servers. */
  async load(options: { refresh?: boolean } = {}): Promise<void> {
    const ticket = ++this.#asked;
    this.loading = true;
    try {
      const view = await this.#deps.api.get<ModelsView>(`/api/models${options.refresh === true ? '?refresh=1' : ''}`);
      if (ticket !== this.#asked) return;
      this.view = view;
      this.error = null;
    } catch (thrown) {
      if (ticket === this.#asked) this.error = asApiError(thrown);
    } finally {
      if (ticket === this.#asked) this.loading = false;
    }
  }

  find(reference: ModelReference | null | undefined): ModelView | undefined {
    return this.view?.models.find((model) => sameModel(model, reference));
  }

  /** True once it is known that nothing but the demo can answer. */
  get onlyDemo(): boolean {
    return this.view !== null && onlyDemo(this.view);
  }

  /** What answers where nobody chose. */
  get standard(): ModelReference | null {
    return this.view?.standard ?? null;
  }

  isDemo(reference: ModelReference | null | undefined): boolean {
    return reference != null && isDemo(reference);
  }
}

export const models = new ModelsState();
