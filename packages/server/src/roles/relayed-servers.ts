import { GROUP_TOOLS } from '@toolyard/agent-host';
import type { IndexedTool, ServerConfig, ServerHealth, SignInResponse } from '@toolyard/mcp-host';
import { pinOf, ToolIndex, unseenPin } from '@toolyard/mcp-host';
import type { McpPromptList, McpServerList, Owner, ToolReference } from '@toolyard/protocol';
import { messageOf, ToolyardError } from '@toolyard/protocol';
import type { LeasedServer } from '@toolyard/storage';
import { ServerList } from '../mcp/server-list.ts';
import { EditableServers, noServer } from '../mcp/editable-servers.ts';
import { isUnsandboxed, toServerView, toToolDetail } from '../mcp/server-view.ts';
import type { ServersOptions } from '../mcp/servers-options.ts';
import { startOrClose } from '../mcp/start-or-close.ts';
import { storePin } from '../mcp/stored-pins.ts';
import type { Servers } from '../services.ts';
import { retryUntilStored } from '../retry-until-stored.ts';
import type { ServerCatalogue } from './catalogue.ts';
import { readCatalogue } from './catalogue.ts';
import type { InternalClient } from './internal-client.ts';
import type { ProcessHeartbeat } from './process-heartbeat.ts';
import { canHost } from './role.ts';
import type { ServerMethod } from './server-methods.ts';

export type WebServersOptions = Pick<
  ServersOptions,
  | 'builtIn'
  | 'functions'
  | 'file'
  | 'flags'
  | 'env'
  | 'owner'
  | 'settings'
  | 'permissions'
  | 'secrets'
  | 'hub'
  | 'clock'
  | 'log'
> & {
  heartbeat: Pick<ProcessHeartbeat, 'servers' | 'living'>;
  client: InternalClient;
};

type Row = { holder: LeasedServer['holder']; catalogue: ServerCatalogue | undefined };

/**
 * The MCP servers of a process without connections: data comes from database rows, and requests go to the process that
 * hosts the server.
 */
export async function createRelayedServers(options: WebServersOptions): Promise<RelayedServers> {
  const { settings, owner, clock } = options;
  const book = await ServerList.open({ settings, owner, now: () => clock.now() });
  return startOrClose(new RelayedServers(options, book));
}

export class RelayedServers extends EditableServers implements Servers {
  readonly #options: WebServersOptions;
  readonly #stop = new AbortController();

  constructor(options: WebServersOptions, book: ServerList) {
    super({ ...options, book, isShared: true });
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.startList({ watch: true });
  }

  /** The processes with connections apply the change. */
  protected updated(): void {}

  protected switched(): Promise<void> {
    return Promise.resolve();
  }

  protected changed(id?: string): void {
    this.#options.hub.changed(null, 'servers', ...(id === undefined ? [] : [id]));
  }

  protected forgetSignIn(principal: Owner, id: string): Promise<unknown> {
    return this.#ask('signOut', principal, id);
  }

  async list(principal: Owner): Promise<McpServerList> {
    const [rows, permissions] = await Promise.all([this.#rows(), this.permissions(principal)]);
    const tools = this.#tools(rows);
    // The decisions of groups are no tools that a user switches on.
    const listed = this.book.all.filter(({ id, origin }) => id !== GROUP_TOOLS.id || origin !== 'built-in');
    const items = listed.map((server) => {
      const catalogue = rows.get(server.id)?.catalogue;
      const isHeld = rows.get(server.id)?.holder != null;
      return toServerView({
        server,
        enabled: this.book.isEnabled(server.id),
        health:
          'config' in server
            ? healthOf(server.config, { catalogue, isHeld, enabled: this.book.isEnabled(server.id) })
            : undefined,
        tools: isHeld ? tools.filter(({ tool }) => tool.serverId === server.id) : [],
        templates: catalogue?.templates.length ?? 0,
        permissions,
        ...this.#ofTools(rows),
      });
    });
    return this.listOf(items);
  }

  async test(principal: Owner, request: Parameters<Servers['test']>[1], signal?: AbortSignal) {
    const { transport } = this.tried(principal, request);
    const address = await this.#processFor(transport);
    return (await this.#options.client.ask(address, 'test', principal, [request], signal)) as never;
  }

  reconnect: Servers['reconnect'] = (principal, id) => this.#ask('reconnect', principal, id);
  signIn: Servers['signIn'] = (principal, id, redirectUrl) => this.#ask('signIn', principal, id, [redirectUrl]);
  signOut: Servers['signOut'] = (principal, id) => this.#ask('signOut', principal, id);
  log: Servers['log'] = (principal, id, after) => this.#ask('log', principal, id, after === undefined ? [] : [after]);
  call: Servers['call'] = (principal, id, request, signal) => this.#ask('call', principal, id, [request], signal);
  icon: Servers['icon'] = (principal, id, signal) => this.#ask('icon', principal, id, [], signal);
  // As separate arguments: a process of the previous version reads the first one only.
  read: Servers['read'] = (principal, id, { uri, fresh }, signal) =>
    this.#ask('read', principal, id, [uri, ...(fresh === true ? [true] : [])], signal);
  skills: Servers['skills'] = (principal, id, signal) => this.#ask('skills', principal, id, [], signal);
  skillFile: Servers['skillFile'] = (principal, id, file, signal) =>
    this.#ask('skillFile', principal, id, [file], signal);
  app: Servers['app'] = (principal, id, uri, signal) => this.#ask('app', principal, id, [uri], signal);
  getPrompt: Servers['getPrompt'] = (principal, id, prompt, signal) =>
    this.#ask('getPrompt', principal, id, [prompt], signal);
  complete: Servers['complete'] = (principal, id, request, signal) =>
    this.#ask('complete', principal, id, [request], signal);

  testTool: Servers['testTool'] = (principal, id, request, signal) =>
    this.#ask('testTool', principal, id, [request], signal);
  tasks: Servers['tasks'] = (principal, id) => this.#ask('tasks', principal, id);
  taskResult: Servers['taskResult'] = (principal, id, taskId, signal) =>
    this.#ask('taskResult', principal, id, [taskId], signal);
  cancelTask: Servers['cancelTask'] = (principal, id, taskId) => this.#ask('cancelTask', principal, id, [taskId]);
  followResources: Servers['followResources'] = (principal, id, uris) =>
    this.#ask('followResources', principal, id, [uris]);

  async finishSignIn(response: SignInResponse): Promise<string> {
    const { owner, client, hub } = this.#options;
    const address = await this.#processFor({ type: 'http', url: '' });
    const id = (await client.ask(address, 'finishSignIn', owner, [response])) as string;
    // The hosting process notifies only its own subscribers; runs that wait for the server must look again.
    hub.changed(null, 'servers', id);
    return id;
  }

  async tools(principal: Owner, id: string) {
    const rows = await this.#rows();
    if (!isReady(rows.get(id))) return this.#ask('tools', principal, id);
    const permissions = await this.permissions(principal);
    return this.#tools(rows)
      .filter(({ tool }) => tool.serverId === id)
      .map((tool) => toToolDetail(tool, { permissions, ...this.#ofTools(rows) }));
  }

  async resources(principal: Owner, id: string) {
    const row = (await this.#rows()).get(id);
    if (!isReady(row)) return this.#ask('resources', principal, id);
    return row.catalogue.resources.map(({ icons: _icons, ...resource }) => resource);
  }

  async templates(principal: Owner, id: string) {
    const row = (await this.#rows()).get(id);
    if (!isReady(row)) return this.#ask('templates', principal, id);
    return row.catalogue.templates.map(({ icons: _icons, ...template }) => template);
  }

  async prompts(): Promise<McpPromptList> {
    const rows = await this.#rows();
    const items = this.book.ids.flatMap((serverId) => {
      const row = rows.get(serverId);
      if (!isReady(row)) return [];
      return row.catalogue.prompts.map(({ icons: _icons, ...prompt }) => ({ serverId, ...prompt }));
    });
    return { items, failures: [] };
  }

  approve({ tool, definition }: Parameters<Servers['approve']>[0]): void {
    const server = this.book.find(tool.serverId);
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

  unsandboxed: Servers['unsandboxed'] = async (chosen = {}) => {
    const rows = await this.#rows();
    return this.book.usable
      .filter(({ id }) => chosen[id] ?? this.book.isEnabled(id))
      .filter((config) => isUnsandboxed(config, rows.get(config.id)?.catalogue?.health))
      .map(({ id }) => id);
  };

  /** The process that executes the run retries calls that waited for a sign-in. */
  onSignedIn(): void {}

  select(): Promise<never> {
    return Promise.reject(new ToolyardError({ code: 'internal', message: 'This process executes no runs.' }));
  }

  /** Reads changes made by another process. */
  async lookAgain(): Promise<void> {
    await this.book.readAgain();
    await this.lookForApprovals();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.closeList();
    await this.fetches.close();
  }

  async #rows(): Promise<Map<string, Row>> {
    const all = await this.#options.heartbeat.servers();
    return new Map(
      all.map(({ serverId, holder, catalogue }) => [serverId, { holder, catalogue: readCatalogue(catalogue) }]),
    );
  }

  /** With model-facing names, which are computed over all servers, as in processes that execute calls. */
  #tools(rows: ReadonlyMap<string, Row>): readonly IndexedTool[] {
    const servers = this.book.all.flatMap((server) => {
      const catalogue = rows.get(server.id)?.catalogue;
      if (!('config' in server) || catalogue === undefined) return [];
      return [
        {
          serverId: server.id,
          origin: 'server' as const,
          builtIn: server.config.builtIn === true,
          tools: catalogue.tools,
        },
      ];
    });
    return new ToolIndex(servers).tools;
  }

  #ofTools(rows: ReadonlyMap<string, Row>) {
    return {
      isToolOn: (tool: ToolReference) => this.book.isToolOn(tool),
      changeOf: ({ serverId, name }: ToolReference) => rows.get(serverId)?.catalogue?.changes[name],
      isIsolated: (listed: IndexedTool) => this.#options.functions?.isIsolated([listed], listed.tool) === true,
    };
  }

  /**
   * Sends a request to the process that hosts the server. @throws ToolyardError naming the missing role if no process
   * does
   */
  async #ask<Method extends ServerMethod>(
    method: Method,
    principal: Owner,
    id: string,
    args: readonly unknown[] = [],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Servers[Method]>>> {
    const server = this.book.find(id);
    if (server === undefined) throw noServer(id);
    const holder = (await this.#rows()).get(id)?.holder?.address;
    // Not validated: the other process is a Toolyard with the same secret.
    if (holder != null)
      return (await this.#options.client.ask(holder, method, principal, [id, ...args], signal)) as never;
    if ('fault' in server) throw new ToolyardError({ ...server.fault.toJSON(), code: 'conflict' });
    throw noProcessFor(server.config.transport, `the server "${id}"`);
  }

  /** A process that can reach such a server. */
  async #processFor(transport: ServerConfig['transport']): Promise<string> {
    const living = await this.#options.heartbeat.living();
    const able = living.find(({ role, address }) => address !== null && canReach(role, transport));
    if (able?.address != null) return able.address;
    throw noProcessFor(transport, 'such a server');
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
function healthOf(
  { id, transport }: ServerConfig,
  of: { catalogue: ServerCatalogue | undefined; isHeld: boolean; enabled: boolean },
): ServerHealth {
  if (of.isHeld && of.catalogue !== undefined) return of.catalogue.health;
  const nothing = { id, phase: 'disconnected' as const, phases: [], toolCount: 0, skipped: [], log: [] };
  if (!of.enabled) return { ...nothing, state: 'idle' };
  // Claimed recently; nothing was published yet.
  if (of.isHeld) return { ...nothing, state: 'connecting' };
  return { ...nothing, state: 'failed', error: noProcessFor(transport, `the server "${id}"`).toJSON() };
}

function noProcessFor(transport: ServerConfig['transport'], what: string): ToolyardError {
  const role = canHost('tools', transport) ? 'tools' : 'worker';
  return new ToolyardError({
    code: 'server_unreachable',
    message: `No process can use ${what}: this process has no connections, and no process with the role "${role}" is running.`,
    hint: `Start one with --role ${role} and the same database.`,
    retryable: true,
  });
}
