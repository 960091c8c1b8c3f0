import type { ChangeMcpServer, ErrorInfo, McpServerList, McpServerView, PermissionView } from '@toolyard/protocol';
import { api as realApi, type Api } from '../api/client.ts';
import { live as realLive } from '../live/live.svelte.ts';
import { Loaded, type ResourceLive } from './loaded.svelte.ts';

type Deps = { api: Pick<Api, 'get' | 'patch' | 'post' | 'delete'>; live: ResourceLive };
type ServersView = { servers: McpServerList; permissions: PermissionView[] };

/** The MCP servers and the permissions of their tools. */
export class ServersState extends Loaded<ServersView> {
  readonly list: McpServerView[] = $derived(this.data?.servers.items ?? []);
  readonly permissions: PermissionView[] = $derived(this.data?.permissions ?? []);
  readonly #api: Deps['api'];

  constructor({ api, live }: Deps = { api: realApi, live: realLive }) {
    const read = async (): Promise<ServersView> => {
      const [servers, permissions] = await Promise.all([api.get('/api/mcp/servers'), api.get('/api/permissions')]);
      return { servers, permissions: permissions.items };
    };
    // A permission is stored with the answer to an interrupt and deleted in the settings.
    super(read, { live, changes: ['servers', 'interrupts', 'settings'] });
    this.#api = api;
  }

  /** Why `mcp.json` as a whole cannot be read. */
  get fileFault(): ErrorInfo | null {
    return this.data?.servers.fileFault ?? null;
  }

  /** Enables or disables a server for conversations without an override. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.update(id, { enabled });
  }

  async update(id: string, change: ChangeMcpServer): Promise<void> {
    this.#put(await this.#api.patch('/api/mcp/servers/{id}', { params: { id }, body: change }));
  }

  async reconnect(id: string): Promise<void> {
    this.#put(await this.#api.post('/api/mcp/servers/{id}/reconnect', { params: { id } }));
  }

  /** Deletes a permission: the next call of the tool asks for approval again. */
  async forget(permission: Pick<PermissionView, 'tool' | 'conversationId'>): Promise<void> {
    const { serverId: server, name: tool } = permission.tool;
    await this.#api.delete('/api/permissions', {
      query: { server, tool, conversation: permission.conversationId ?? undefined },
    });
    await this.load();
  }

  #put(server: McpServerView): void {
    if (this.data === null) return;
    const items = this.list.map((known) => (known.id === server.id ? server : known));
    this.set({ ...this.data, servers: { ...this.data.servers, items } });
  }
}

export const servers = new ServersState();
