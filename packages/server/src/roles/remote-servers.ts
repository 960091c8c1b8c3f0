import type { ServerConfig, ServerHealth } from '@toolyard/mcp-host';
import { pinOf, ToolIndex, unseenPin } from '@toolyard/mcp-host';
import type {
  McpPromptList,
  McpResourceView,
  McpTemplateView,
  McpToolDetail,
  Owner,
  TestMcpServer,
  ToolReference,
} from '@toolyard/protocol';
import { messageOf, ToolyardError } from '@toolyard/protocol';
import type { LeasedServer } from '@toolyard/storage';
import type { ServerStates } from '../mcp/editable-servers.ts';
import { createNoServerError, EditableServers } from '../mcp/editable-servers.ts';
import type { AskHolder, HolderKey, McpAnswer, McpRequest, Servers } from '../mcp/operations.ts';
import { ServerList } from '../mcp/server-list.ts';
import type { ServersOptions } from '../mcp/servers-options.ts';
import { storePin } from '../mcp/stored-pins.ts';
import type { RunServers, ServerLists } from '../services.ts';
import { retryUntilStored } from '../retry-until-stored.ts';
import type { ServerCatalogue } from './catalogue.ts';
import { readCatalogue } from './catalogue.ts';
import type { InternalClient } from './internal-client.ts';
import { MCP_OPERATION_PATH } from './internal-client.ts';
import type { ProcessHeartbeat } from './process-heartbeat.ts';
import { canHost } from './role.ts';

export type RemoteServersOptions = Omit<ServersOptions, 'signIns' | 'eager' | 'ownership' | 'connectWaitMs'> & {
  heartbeat: Pick<ProcessHeartbeat, 'servers' | 'living'>;
  client: InternalClient;
};

type Row = { holder: LeasedServer['holder']; catalogue: ServerCatalogue | undefined };

/**
 * The MCP servers of a process without connections: data comes from database rows, and requests go to the process that
 * hosts the server.
 */
export async function createRemoteServers(options: RemoteServersOptions): Promise<RemoteServers> {
  const { settings, owner, clock } = options;
  const serverList = await ServerList.open({ settings, owner, now: () => clock.now() });
  const servers = new RemoteServers(options, serverList);
  await servers.start();
  return servers;
}

export class RemoteServers implements Servers, ServerLists {
  readonly editable: EditableServers;
  readonly lists = this;
  readonly #options: RemoteServersOptions;
  readonly #stop = new AbortController();

  constructor(options: RemoteServersOptions, serverList: ServerList) {
    this.#options = options;
    this.editable = new EditableServers({
      ...options,
      serverList,
      isShared: true,
      connections: {
        // The processes with connections apply the change.
        updated: () => undefined,
        switched: () => Promise.resolve(),
        changed: (id) => options.hub.changed(null, 'servers', ...(id === undefined ? [] : [id])),
        forgetSignIn: (principal, id) =>
          this.ask('DELETE /api/mcp/servers/{id}/sign-in', principal, { params: { id } }),
        states: () => this.#states(),
      },
    });
  }

  async start(): Promise<void> {
    await this.editable.start({ watch: true });
  }

  /**
   * Sends the request to the process that hosts the server. @throws ToolyardError naming the missing role if no process
   * does
   */
  ask: AskHolder = async (key, principal, request, signal) => {
    const address = await this.#addressFor(key, principal, request);
    // Not validated: the other process is a Toolyard with the same secret.
    const answer = (await this.#options.client.post(
      address,
      MCP_OPERATION_PATH,
      { key, principal, request },
      signal,
    )) as McpAnswer<typeof key>;
    // The hosting process notifies only its own subscribers; runs that wait for the server must look again.
    if (key === 'GET /api/mcp/sign-in/callback') this.#options.hub.changed(null, 'servers', answer as string);
    return answer;
  };

  async tools(principal: Owner, id: string): Promise<McpToolDetail[]> {
    if (!isReady((await this.#rows()).get(id))) return this.ask('tools', principal, { params: { id } });
    return this.editable.toolDetails(principal, id);
  }

  async resources(principal: Owner, id: string): Promise<McpResourceView[]> {
    const row = (await this.#rows()).get(id);
    if (!isReady(row)) return this.ask('resources', principal, { params: { id } });
    return row.catalogue.resources.map(({ icons: _icons, ...resource }) => resource);
  }

  async templates(principal: Owner, id: string): Promise<McpTemplateView[]> {
    const row = (await this.#rows()).get(id);
    if (!isReady(row)) return this.ask('templates', principal, { params: { id } });
    return row.catalogue.templates.map(({ icons: _icons, ...template }) => template);
  }

  async prompts(): Promise<McpPromptList> {
    const rows = await this.#rows();
    const items = this.editable.serverList.ids.flatMap((serverId) => {
      const row = rows.get(serverId);
      if (!isReady(row)) return [];
      return row.catalogue.prompts.map(({ icons: _icons, ...prompt }) => ({ serverId, ...prompt }));
    });
    return { items, failures: [] };
  }

  approve({ tool, definition }: Parameters<RunServers['approve']>[0]): void {
    const server = this.editable.serverList.find(tool.serverId);
    if (server === undefined || !('config' in server) || server.config.builtIn === true) return;
    const { config } = server;
    const { clock } = this.#options;
    const { signal } = this.#stop;
    retryUntilStored(() => this.#pin(config, tool, definition), { clock, signal }).catch((thrown: unknown) => {
      const why = messageOf(thrown);
      this.#options.log(`tool approvals: could not store one: ${why}`);
    });
  }

  async #pin(config: ServerConfig, tool: ToolReference, shown: string | undefined): Promise<void> {
    const catalogue = (await this.#rows()).get(tool.serverId)?.catalogue;
    const definition = shown ?? catalogue?.definitions[tool.name];
    if (definition === undefined) return;
    const listed = catalogue?.tools.find(({ name }) => name === tool.name);
    const now = listed && pinOf(config, listed);
    // A definition that changed after it was shown was not approved.
    await storePin(this.#options, tool, now?.hash === definition ? now : unseenPin(definition));
    this.#options.hub.changed(null, 'servers', tool.serverId);
  }

  unsandboxed: RunServers['unsandboxed'] = (chosen) => this.editable.unsandboxed(chosen);

  /** The process that executes the run retries calls that waited for a sign-in. */
  onSignedIn(): void {}

  select(): Promise<never> {
    return Promise.reject(new ToolyardError({ code: 'internal', message: 'This process executes no runs.' }));
  }

  /** Reads changes made by another process. */
  async reload(): Promise<void> {
    await this.editable.serverList.reload();
    await this.editable.reloadApprovals();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.editable.close();
    await this.editable.fetches.close();
  }

  async #rows(): Promise<Map<string, Row>> {
    const all = await this.#options.heartbeat.servers();
    return new Map(
      all.map(({ serverId, holder, catalogue }) => [serverId, { holder, catalogue: readCatalogue(catalogue) }]),
    );
  }

  async #states(): Promise<ServerStates> {
    const rows = await this.#rows();
    const { serverList } = this.editable;
    const isHeld = (id: string): boolean => rows.get(id)?.holder != null;
    // Names for models are computed over all servers, as in processes that execute calls.
    const offering = serverList.usable.flatMap(({ id, builtIn }) => {
      const { tools } = rows.get(id)?.catalogue ?? {};
      return tools === undefined ? [] : [{ serverId: id, origin: 'server' as const, builtIn: builtIn === true, tools }];
    });
    return {
      health: (server) =>
        'config' in server
          ? getHealth(server.config, {
              catalogue: rows.get(server.id)?.catalogue,
              isHeld: isHeld(server.id),
              enabled: serverList.isEnabled(server.id),
            })
          : undefined,
      lastHealth: (id) => rows.get(id)?.catalogue?.health,
      tools: new ToolIndex(offering).tools.filter(({ tool }) => isHeld(tool.serverId)),
      templates: (id) => rows.get(id)?.catalogue?.templates.length ?? 0,
      findChange: ({ serverId, name }) => rows.get(serverId)?.catalogue?.changes[name],
    };
  }

  async #addressFor<Key extends HolderKey>(key: Key, principal: Owner, request: McpRequest<Key>): Promise<string> {
    if ('params' in request && 'id' in request.params) return this.#getHolder(String(request.params.id));
    if (key !== 'POST /api/mcp/test') return this.#processFor({ type: 'http', url: '' });
    const { body } = request as { body: TestMcpServer };
    return this.#processFor(this.editable.toTestConfig(principal, body).transport);
  }

  async #getHolder(id: string): Promise<string> {
    const server = this.editable.serverList.find(id);
    if (server === undefined) throw createNoServerError(id);
    const holder = (await this.#rows()).get(id)?.holder?.address;
    if (holder != null) return holder;
    if ('fault' in server) throw new ToolyardError({ ...server.fault.toJSON(), code: 'conflict' });
    throw createNoProcessError(server.config.transport, `the server "${id}"`);
  }

  /** A process that can reach such a server. */
  async #processFor(transport: ServerConfig['transport']): Promise<string> {
    const living = await this.#options.heartbeat.living();
    const able = living.find(({ role, address }) => address !== null && canReach(role, transport));
    if (able?.address != null) return able.address;
    throw createNoProcessError(transport, 'such a server');
  }
}

function canReach(role: string, transport: ServerConfig['transport']): boolean {
  return (
    role === 'all' ||
    (role === 'worker' && canHost('worker', transport)) ||
    (role === 'tools' && canHost('tools', transport))
  );
}

function isReady(row: Row | undefined): row is Row & { catalogue: ServerCatalogue } {
  return row?.holder != null && row.catalogue?.health.state === 'ready';
}

/** Last published health of a server, also if no process hosts it now. */
function getHealth(
  { id, transport }: ServerConfig,
  of: { catalogue: ServerCatalogue | undefined; isHeld: boolean; enabled: boolean },
): ServerHealth {
  if (of.isHeld && of.catalogue !== undefined) return of.catalogue.health;
  const nothing = { id, phase: 'disconnected' as const, phases: [], toolCount: 0, skipped: [], log: [] };
  if (!of.enabled) return { ...nothing, state: 'idle' };
  // Claimed recently; nothing was published yet.
  if (of.isHeld) return { ...nothing, state: 'connecting' };
  return { ...nothing, state: 'failed', error: createNoProcessError(transport, `the server "${id}"`).toJSON() };
}

function createNoProcessError(transport: ServerConfig['transport'], what: string): ToolyardError {
  const role = canHost('tools', transport) ? 'tools' : 'worker';
  return new ToolyardError({
    code: 'server_unreachable',
    message: `No process can use ${what}: this process has no connections, and no process with the role "${role}" is running.`,
    hint: `Start one with --role ${role} and the same database.`,
    retryable: true,
  });
}
