import type { ErrorInfo, IdSource, ResourcePart } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { ResourceStore } from './resource-store.ts';

/** A resource attached to a draft. */
export type ResourceAttachment = { id: string; serverId: string; uri: string; name: string } & (
  | { state: 'loading' }
  | { state: 'ready'; contents: ResourcePart[] }
  | { state: 'failed'; error: ErrorInfo }
);

export type ResourceDraftOptions = { store: ResourceStore; ids: IdSource; onChange?(): void };

/** The resources attached to the message a conversation is about to send. */
export class ResourceDraft {
  readonly #options: ResourceDraftOptions;
  #attachments: readonly ResourceAttachment[] = [];
  readonly #loading = new Map<string, Promise<void>>();

  constructor(options: ResourceDraftOptions) {
    this.#options = options;
  }

  /** In the order of attachment; a new array after every change. */
  get attachments(): readonly ResourceAttachment[] {
    return this.#attachments;
  }

  /** Attaches a resource and starts to load it; attaching it twice has no effect. */
  attach(resource: { serverId: string; uri: string; name?: string }): ResourceAttachment {
    const { serverId, uri, name = uri } = resource;
    const known = this.#attachments.find((one) => one.serverId === serverId && one.uri === uri);
    if (known !== undefined) return known;
    const attachment: ResourceAttachment = { id: this.#options.ids.next(), serverId, uri, name, state: 'loading' };
    this.#set([...this.#attachments, attachment]);
    this.#load(attachment);
    return attachment;
  }

  /** Loads a failed attachment again. */
  retry(id: string): void {
    const failed = this.#attachments.find((one) => one.id === id);
    if (failed?.state !== 'failed') return;
    const { serverId, uri, name } = failed;
    const loading: ResourceAttachment = { id, serverId, uri, name, state: 'loading' };
    this.#replace(loading);
    this.#load(loading);
  }

  remove(id: string): void {
    this.#set(this.#attachments.filter((one) => one.id !== id));
  }

  /**
   * Removes the attachments from the draft for a message that is being sent. Waits for those that are loading; failed
   * ones stay. `restore` puts them back in front of newer ones if sending fails.
   */
  async consume(): Promise<{ parts: ResourcePart[]; restore(): void }> {
    await Promise.all(this.#loading.values());
    const consumed = this.#attachments.filter((one) => one.state === 'ready');
    this.#set(this.#attachments.filter((one) => one.state !== 'ready'));
    let isConsumed = true;
    return {
      parts: consumed.flatMap((one) => one.contents.map((part) => ({ name: one.name, ...part }))),
      restore: () => {
        if (!isConsumed) return;
        isConsumed = false;
        const since = this.#attachments.filter(
          (one) => !consumed.some(({ serverId, uri }) => one.serverId === serverId && one.uri === uri),
        );
        this.#set([...consumed, ...since]);
      },
    };
  }

  clear(): void {
    this.#set([]);
  }

  #load({ id, serverId, uri, name }: ResourceAttachment): void {
    const base = { id, serverId, uri, name };
    const loading = this.#options.store
      .read(serverId, uri)
      .then(
        (contents): ResourceAttachment => ({ ...base, state: 'ready', contents }),
        (thrown: unknown): ResourceAttachment => ({ ...base, state: 'failed', error: toErrorInfo(thrown) }),
      )
      .then((loaded) => this.#replace(loaded))
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
  }

  /** Attachments removed meanwhile are not restored. */
  #replace(attachment: ResourceAttachment): void {
    this.#set(this.#attachments.map((one) => (one.id === attachment.id ? attachment : one)));
  }

  #set(attachments: readonly ResourceAttachment[]): void {
    this.#attachments = attachments;
    this.#options.onChange?.();
  }
}
