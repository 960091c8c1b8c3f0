import type { Memory } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from '../state/loaded.svelte.ts';

/** What models remembered for the user. */
class Memories extends Loaded<Memory[]> {
  constructor() {
    super(async () => (await api.get('/api/memories')).items, {
      live,
      changes: ['memories', 'conversations'],
      delayMs: 200,
    });
  }

  async edit(id: string, text: string): Promise<void> {
    await api.patch('/api/memories/{id}', { params: { id }, body: { text } });
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await api.delete('/api/memories/{id}', { params: { id } });
    await this.load();
  }

  async removeAll(): Promise<void> {
    await api.delete('/api/memories');
    await this.load();
  }
}

export const memories = new Memories();
