import type { ChangeQueuedMessage, Page, QueuedMessage } from '@toolyard/protocol';
import type { api as realApi } from '../api/client.ts';
import { ApiError } from '../api/error.ts';

/** The messages that wait until the run under way of one conversation is over. The server keeps them. */
export class ChatQueue {
  items: readonly QueuedMessage[] = $state.raw([]);
  readonly #api: Pick<typeof realApi, 'get' | 'post' | 'patch' | 'delete'>;
  #conversationId: string | null = null;

  constructor(api: Pick<typeof realApi, 'get' | 'post' | 'patch' | 'delete'>) {
    this.#api = api;
  }

  show(conversationId: string | null, items: readonly QueuedMessage[]): void {
    this.#conversationId = conversationId;
    this.items = items;
  }

  async load(): Promise<void> {
    const id = this.#conversationId;
    if (id === null) return;
    try {
      const { items } = await this.#api.get<Page<QueuedMessage>>(`${pathOf(id)}/queue`);
      if (this.#conversationId === id) this.items = items;
    } catch {
      // The next change, or the next connection, brings it.
    }
  }

  async change(queuedId: string, change: ChangeQueuedMessage): Promise<void> {
    await this.#api.patch(this.#pathOf(queuedId), change);
    await this.load();
  }

  async remove(queuedId: string): Promise<void> {
    await this.#api.delete(this.#pathOf(queuedId));
    await this.load();
  }

  async sendNow(queuedId: string): Promise<void> {
    await this.#api.post(`${this.#pathOf(queuedId)}/send`);
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

  #pathOf(queuedId: string): string {
    return `${pathOf(this.#conversationId ?? '')}/queue/${encodeURIComponent(queuedId)}`;
  }
}

/** The address of a conversation at the API. */
export function pathOf(conversationId: string): string {
  return `/api/conversations/${encodeURIComponent(conversationId)}`;
}
