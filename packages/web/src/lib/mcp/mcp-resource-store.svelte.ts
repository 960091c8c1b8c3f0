import type { ResourceAttachment, ListedResource, ListedTemplate, McpHost, ResourceDraft } from '@toolyard/mcp-host';
import type { ResourcePart } from '@toolyard/protocol';

type Listed = { resources: readonly ListedResource[]; templates: readonly ListedTemplate[] };

/** What the servers of this browser offer to read, and what is attached of it to the message being written. */
export class McpResourceStore {
  /** By server; each is there once it has listed them. */
  serverResources: ReadonlyMap<string, Listed> = $state.raw(new Map());
  /** In the order they were attached. */
  attachments: readonly ResourceAttachment[] = $state.raw([]);
  /** Resources whose changes are followed, as `server uri`. */
  subscriptions: ReadonlySet<string> = $state.raw(new Set());

  readonly #host: () => Promise<McpHost>;
  #draft: ResourceDraft | undefined;

  constructor(host: () => Promise<McpHost>) {
    this.#host = host;
  }

  /** Attaches a resource: it is there at once, its contents follow. */
  async addAttachment(resource: { serverId: string; uri: string; name?: string }): Promise<ResourceAttachment> {
    return (await this.#openDraft()).attach(resource);
  }

  retryAttachment(id: string): void {
    this.#draft?.retry(id);
  }

  removeAttachment(id: string): void {
    this.#draft?.remove(id);
  }

  /** Takes what is attached for a message being sent; `restore` puts it back where sending failed. */
  async consumeAttachments(): Promise<{ parts: ResourcePart[]; restore(): void }> {
    return (await this.#openDraft()).consume();
  }

  /** Calls back when the server says that a resource has changed; what is returned ends that. */
  async follow(serverId: string, uri: string, listener: () => void): Promise<() => Promise<void>> {
    const host = await this.#host();
    const end = await host.resources.follow(serverId, uri, listener);
    const key = `${serverId} ${uri}`;
    this.subscriptions = new Set([...this.subscriptions, key]);
    return async () => {
      this.subscriptions = new Set([...this.subscriptions].filter((other) => other !== key));
      await end();
    };
  }

  /** Looks again at what the servers list. */
  tell(host: McpHost | undefined): void {
    const ready = host?.connectedServers ?? [];
    this.serverResources = new Map(
      ready.map((id) => [
        id,
        { resources: host?.resources.resources(id) ?? [], templates: host?.resources.templates(id) ?? [] },
      ]),
    );
  }

  clear(): void {
    this.#draft?.clear();
    this.serverResources = new Map();
    this.subscriptions = new Set();
  }

  async #openDraft(): Promise<ResourceDraft> {
    const host = await this.#host();
    if (this.#draft === undefined) {
      const { createResourceDraft } = await import('./tab-host.ts');
      this.#draft ??= createResourceDraft(host, (attachments) => (this.attachments = attachments));
    }
    return this.#draft;
  }
}
