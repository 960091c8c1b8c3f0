import type { Memory } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { LoadedList } from '../state/loaded.svelte.ts';

/** What models remembered for the user. */
export const memories = new LoadedList<Memory>(async () => (await api.get('/api/memories')).items, {
  live,
  changes: ['memories', 'conversations'],
  delayMs: 200,
});
