import type {
  ChangeMcpServer,
  ErrorInfo,
  McpServerList,
  McpServerView,
  Page,
  PermissionView,
} from '@toolyard/protocol';
import { api as realApi, type ApiError } from '../api/client.ts';
import { asApiError } from './failure.ts';
import { keepUp } from './keep-up.ts';
import { live as realLive } from './live.svelte.ts';

type Deps = {
  api: Pick<typeof realApi, 'get' | 'patch' | 'post' | 'delete'>;
  live: Pick<typeof realLive, 'onChanged' | 'onHello' | 'status'>;
};

/** The MCP servers and what was decided about their tools. */
export class ServersState {
  list: McpServerView[] = $state.raw([]);
  /** Why `mcp.json` as a whole cannot be read. */
  fileFault: ErrorInfo | null = $state.raw(null);
  permissions: PermissionView[] = $state.raw([]);
  /** False until the first answer. */
  known = $state(false);
  loading = $state(false);
  error: ApiError | null = $state.raw(null);
  readonly #deps: Deps;
  #asked = 0;
  #watching = false;

  constructor(deps: Deps = { api: realApi, live: realLive }) {
    this.#deps = deps;
  }

  /** Loads once and keeps up from then on; may be called by whoever shows servers. */
  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    // A decision about a tool comes with the interrupt it answers, or is taken back in the settings.
    keepUp(this.#deps.live, ['servers', 'interrupts', 'settings'], () => void this.load());
  }

  async load(): Promise<void> {
    const ticket = ++this.#asked;
    this.loading = true;
    try {
      const [list, permissions] = await Promise.all([
        this.#deps.api.get<McpServerList>('/api/mcp/servers'),
        this.#deps.api.get<Page<PermissionView>>('/api/permissions'),
      ]);
      if (ticket !== this.#asked) return;
      this.list = list.items;
      this.fileFault = list.fileFault ?? null;
      this.permissions = permissions.items;
      this.known = true;
      this.error = null;
    } catch (thrown) {
      if (ticket === this.#asked) this.error = asApiError(thrown);
    } finally {
      if (ticket === this.#asked) this.loading = false;
    }
  }

  /** Switches a server on or off wherever nobody chose otherwise. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.change(id, { enabled });
  }

  async change(id: string, change: ChangeMcpServer): Promise<void> {
    this.#put(await this.#deps.api.patch<McpServerView>(`/api/mcp/servers/${encodeURIComponent(id)}`, change));
  }

  async reconnect(id: string): Promise<void> {
    this.#put(await this.#deps.api.post<McpServerView>(`/api/mcp/servers/${encodeURIComponent(id)}/reconnect`));
  }

  /** From then on the tool is asked about again. */
  async forget(permission: Pick<PermissionView, 'tool' | 'conversationId'>): Promise<void> {
    const query = new URLSearchParams({ server: permission.tool.serverId, tool: permission.tool.name });
    if (permission.conversationId !== null) query.set('conversation', permission.conversationId);
    await this.#deps.api.delete(`/api/permissions?${query.toString()}`);
    await this.load();
  }

  #put(server: McpServerView): void {
    // An answer under way to an older question would undo this.
    this.#asked += 1;
    this.loading = false;
    this.list = this.list.map((known) => (known.id === server.id ? server : known));
  }
}

export const servers = new ServersState();
