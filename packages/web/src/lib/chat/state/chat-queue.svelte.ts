import type { ChangeQueuedMessage, QueuedMessage } from '@toolyard/protocol';
import type { Api } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { Loaded } from '../../state/loaded.svelte.ts';

type QueueApi = Pick<Api, 'get' | 'post' | 'patch' | 'delete'>;

/** The queued messages of the open conversation: the server sends them when its run has ended. */
export class ChatQueue extends Loaded<readonly QueuedMessage[]> {
  readonly #api: QueueApi;
  readonly #conversationId: () => string | null;

  constructor(api: QueueApi, conversationId: () => string | null) {
    super(async () => {
      const id = conversationId();
      return id === null ? [] : (await api.get('/api/conversations/{id}/queue', { params: { id } })).items;
    });
    this.#api = api;
    this.#conversationId = conversationId;
  }

  get items(): readonly QueuedMessage[] {
    return this.data ?? [];
  }

  /**
   * Shows the queue loaded with the conversation, unless a request for the queue alone is in progress, which is newer.
   */
  show(items: readonly QueuedMessage[]): void {
    if (!this.loading) this.set(items);
  }

  async update(item: string, body: ChangeQueuedMessage): Promise<void> {
    await this.#api.patch('/api/conversations/{id}/queue/{item}', { params: this.#params(item), body });
    await this.load();
  }

  async remove(item: string): Promise<void> {
    await this.#api.delete('/api/conversations/{id}/queue/{item}', { params: this.#params(item) });
    await this.load();
  }

  async sendNow(item: string): Promise<void> {
    await this.#api.post('/api/conversations/{id}/queue/{item}/send', { params: this.#params(item) });
    await this.load();
  }

  /** Sends the first message; the others follow it. */
  async resume(): Promise<void> {
    const [first] = this.items;
    if (first === undefined) return;
    try {
      await this.sendNow(first.id);
    } catch (thrown) {
      // Another tab has sent or removed it.
      if (!(thrown instanceof ApiError) || thrown.code !== 'not_found') throw thrown;
      await this.load();
    }
  }

  #params(item: string): { id: string; item: string } {
    return { id: this.#conversationId() ?? '', item };
  }
}
