import type { ProviderView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { LoadedList } from '../state/loaded.svelte.ts';

/** The model providers. The server accepts keys and never returns them. */
export const providers = new LoadedList<ProviderView>(async () => (await api.get('/api/providers')).items, {
  live,
  changes: ['providers'],
});
