import type {
  ChangeProvider,
  CreateProvider,
  KnownProviderView,
  Page,
  ProviderView,
  TestedProvider,
  TestProvider,
} from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from './live.svelte.ts';
import { Resource } from './resource.svelte.ts';

/** The model providers. The server accepts keys and never returns them. */
class ProvidersState extends Resource<ProviderView[]> {
  constructor() {
    super(async () => (await api.get<Page<ProviderView>>('/api/providers')).items, { live, changes: ['providers'] });
  }

  get list(): ProviderView[] {
    return this.data ?? [];
  }

  /** The catalogue of providers with a known endpoint and API format. */
  async knownOnes(): Promise<KnownProviderView[]> {
    return (await api.get<Page<KnownProviderView>>('/api/providers/presets')).items;
  }

  async create(provider: CreateProvider): Promise<void> {
    await api.post<ProviderView>('/api/providers', provider);
    await this.load();
  }

  async update(id: string, change: ChangeProvider): Promise<void> {
    await api.patch<ProviderView>(`/api/providers/${encodeURIComponent(id)}`, change);
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await api.delete(`/api/providers/${encodeURIComponent(id)}`);
    await this.load();
  }

  /** Requests the models of an endpoint; stores nothing. */
  test(request: TestProvider, signal?: AbortSignal): Promise<TestedProvider> {
    return api.post<TestedProvider>('/api/providers/test', request, signal === undefined ? {} : { signal });
  }
}

export const providers = new ProvidersState();
