import type {
  ChangeProvider,
  CreateProvider,
  ProviderPresetView,
  ProviderView,
  TestedProvider,
  TestProvider,
} from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from '../state/loaded.svelte.ts';

/** The model providers. The server accepts keys and never returns them. */
class ProvidersState extends Loaded<ProviderView[]> {
  constructor() {
    super(async () => (await api.get('/api/providers')).items, { live, changes: ['providers'] });
  }

  get list(): ProviderView[] {
    return this.data ?? [];
  }

  /** The catalogue of providers with a known endpoint and API format. */
  async presets(): Promise<ProviderPresetView[]> {
    return (await api.get('/api/providers/presets')).items;
  }

  async create(provider: CreateProvider): Promise<void> {
    await api.post('/api/providers', { body: provider });
    await this.load();
  }

  async update(id: string, change: ChangeProvider): Promise<void> {
    await api.patch('/api/providers/{id}', { params: { id }, body: change });
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await api.delete('/api/providers/{id}', { params: { id } });
    await this.load();
  }

  /** Requests the models of an endpoint; stores nothing. */
  test(request: TestProvider, signal?: AbortSignal): Promise<TestedProvider> {
    return api.post('/api/providers/test', { body: request, signal });
  }
}

export const providers = new ProvidersState();
