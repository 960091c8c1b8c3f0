import type { ListedResource, ListedTemplate, McpHost } from '@toolyard/mcp-host';

type Listed = { resources: readonly ListedResource[]; templates: readonly ListedTemplate[] };

/** Resources of the servers of this browser, and subscriptions to them. */
export class McpResourceStore {
  /** By server; present once the server has listed them. */
  serverResources: ReadonlyMap<string, Listed> = $state.raw(new Map());
  /** Subscribed resources, as `server uri`. */
  subscriptions: ReadonlySet<string> = $state.raw(new Set());

  readonly #host: () => Promise<McpHost>;

  constructor(host: () => Promise<McpHost>) {
    this.#host = host;
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
    this.serverResources = new Map();
    this.subscriptions = new Set();
  }
}
