import type {
  ChangeProvider,
  CreateProvider,
  KnownProviderView,
  Page,
  ProviderView,
  TestedProvider,
  TestProvider,
} from '@toolyard/protocol';
import { api as realApi, type ApiError } from '../api/client.ts';
import { asApiError } from './failure.ts';
import { keepUp } from './keep-up.ts';
import { live as realLive } from './live.svelte.ts';

type Deps = {
  api: Pick<typeof realApi, 'get' | 'post' | 'patch' | 'delete'>;
  live: Pick<typeof realLive, 'onChanged' | 'onHello' | 'status'>;
};

/** The providers of models. Keys go in and never come out. */
class ProvidersState {
  list: ProviderView[] = $state.raw([]);
  /** False until the first answer. */
  known = $state(false);
  error: ApiError | null = $state.raw(null);
  readonly #deps: Deps;
  #asked = 0;
  #watching = false;

  constructor(deps: Deps = { api: realApi, live: realLive }) {
    this.#deps = deps;
  }

  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    keepUp(this.#deps.live, ['providers'], () => void this.load());
  }

  async load(): Promise<void> {
    const ticket = ++this.#asked;
    try {
      const { items } = await this.#deps.api.get<Page<ProviderView>>('/api/providers');
      if (ticket !== this.#asked) return;
      this.list = items;
      this.known = true;
      this.error = null;
    } catch (thrown) {
      if (ticket === this.#asked) this.error = asApiError(thrown);
    }
  }

  /** Those whose address and API are known. */
  async knownOnes(): Promise<KnownProviderView[]> {
    return (await this.#deps.api.get<Page<KnownProviderView>>('/api/providers/known')).items;
  }

  async create(provider: CreateProvider): Promise<void> {
    await this.#deps.api.post<ProviderView>('/api/providers', provider);
    await this.load();
  }

  async change(id: string, change: ChangeProvider): Promise<void> {
    await this.#deps.api.patch<ProviderView>(`/api/providers/${encodeURIComponent(id)}`, change);
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await this.#deps.api.delete(`/api/providers/${encodeURIComponent(id)}`);
    await this.load();
  }

  /** Asks an address for its models; stores nothing. */
  test(request: TestProvider, signal?: AbortSignal): Promise<TestedProvider> {
    return this.#deps.api.post<TestedProvider>('/api/providers/test', request, signal === undefined ? {} : { signal });
  }
}

export const providers = new ProvidersState();
