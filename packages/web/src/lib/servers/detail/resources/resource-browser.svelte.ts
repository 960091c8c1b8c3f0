import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { McpResourceView, McpTemplateView, ResourcePart } from '@toolyard/protocol';
import { followResource, listResources, listTemplates, readResource } from '../../../resources/server-requests.ts';
import type { ServerRef } from '../../../resources/server-requests.ts';
import type { FailureText } from '../../attempt.svelte.ts';
import { failureText } from '../../attempt.svelte.ts';

/** A resource as it was read last. */
export type ReadResource = {
  uri: string;
  loading: boolean;
  parts: readonly ResourcePart[] | null;
  error: FailureText | null;
};

/** The resources of one server while its page is open. */
export class ResourceBrowser {
  resources: readonly McpResourceView[] = $state.raw([]);
  templates: readonly McpTemplateView[] = $state.raw([]);
  known = $state(false);
  error: FailureText | null = $state.raw(null);
  /** The open resource. */
  current: ReadResource | null = $state.raw(null);
  /** Resources that changed since the user looked at them. */
  readonly updated = new SvelteSet<string>();
  readonly #ref: ServerRef;
  /** What ends each subscription; null while the server has not answered. */
  readonly #followed = new SvelteMap<string, (() => void) | null>();
  #reads = 0;

  constructor(ref: ServerRef) {
    this.#ref = ref;
  }

  get description(): McpResourceView | undefined {
    return this.resources.find(({ uri }) => uri === this.current?.uri);
  }

  isFollowed(uri: string): boolean {
    return this.#followed.has(uri);
  }

  async load(): Promise<void> {
    try {
      [this.resources, this.templates] = await Promise.all([listResources(this.#ref), listTemplates(this.#ref)]);
      this.error = null;
    } catch (thrown) {
      this.error = failureText(thrown);
    }
    this.known = true;
  }

  /** Opens a resource, or reads the open one again; what was read before stays until the answer. */
  async open(uri: string): Promise<void> {
    const read = ++this.#reads;
    const isReload = this.current?.uri === uri;
    const before = isReload ? (this.current?.parts ?? null) : null;
    this.current = { uri, loading: true, parts: before, error: null };
    this.updated.delete(uri);
    let answer: Pick<ReadResource, 'parts' | 'error'>;
    try {
      answer = { parts: await readResource(this.#ref, uri, isReload ? { fresh: true } : {}), error: null };
    } catch (thrown) {
      answer = { parts: before, error: failureText(thrown) };
    }
    if (read === this.#reads) this.current = { uri, loading: false, ...answer };
  }

  /** Shows contents that are known already, as those of a result. */
  show(uri: string, parts: readonly ResourcePart[]): void {
    this.#reads += 1;
    this.current = { uri, loading: false, parts, error: null };
  }

  close(): void {
    this.#reads += 1;
    this.current = null;
  }

  /** Subscribes to a resource, or ends its subscription. @throws an error that can be shown */
  async toggleFollow(uri: string): Promise<void> {
    if (this.#followed.has(uri)) {
      this.#followed.get(uri)?.();
      this.#followed.delete(uri);
      return;
    }
    this.#followed.set(uri, null);
    try {
      const end = await followResource(this.#ref, uri, () => this.#onUpdate(uri));
      // Ended while the server was asked.
      if (this.#followed.has(uri)) this.#followed.set(uri, end);
      else end();
    } catch (thrown) {
      this.#followed.delete(uri);
      throw thrown;
    }
  }

  /** Ends all subscriptions. */
  stop(): void {
    for (const end of this.#followed.values()) end?.();
    this.#followed.clear();
  }

  #onUpdate(uri: string): void {
    const isOpen = this.current?.uri === uri;
    if (isOpen) void this.open(uri).then(() => this.updated.add(uri));
    else this.updated.add(uri);
  }
}
