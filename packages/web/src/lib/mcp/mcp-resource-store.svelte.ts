import type { ResourceAttachment, ListedResource, ListedTemplate, McpHost, ResourceDraft } from '@toolyard/mcp-host';
import type { ResourcePart } from '@toolyard/protocol';

type Listed = { resources: readonly ListedResource[]; templates: readonly ListedTemplate[] };

/** Resources of the servers of this browser, and those attached to the message being written. */
export class McpResourceStore {
  /** By server; present once the server has listed them. */
  serverResources: ReadonlyMap<string, Listed> = $state.raw(new Map());
  /** In order of attachment. */
  attachments: readonly ResourceAttachment[] = $state.raw([]);
  /** Subscribed resources, as `server uri`. */
  subscriptions: ReadonlySet<string> = $state.raw(new Set());

  readonly #host: () => Promise<McpHost>;
  #draft: ResourceDraft | undefined;

  constructor(host: () => Promise<McpHost>) {
    this.#host = host;
  }

  /** Attaches a resource: it appears at once, its contents follow. */
  async addAttachment(resource: { serverId: string; uri: string; name?: string }): Promise<ResourceAttachment> {
    return (await this.#openDraft()).attach(resource);
  }

  retryAttachment(id: string): void {
    this.#draft?.retry(id);
  }

  removeAttachment(id: string): void {
    this.#draft?.remove(id);
  }

  /** Takes the attachments for a message being sent; `restore` puts them back if sending fails. */
  async consumeAttachments(): Promise<{ parts: ResourcePart[]; restore(): void }> {
    return (await this.#openDraft()).consume();
  }

  /** Calls back when the server reports a change of the resource; returns a function that unsubscribes. */
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

  /** Lists the resources of all servers again. */
  update(host: McpHost | undefined): void {
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
