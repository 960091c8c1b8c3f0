import { dirname } from 'node:path';
import type { RunTools } from '@toolyard/agent-host';
import { GROUP_TOOLS } from '@toolyard/agent-host';
import type { IndexedTool, InspectOptions, ServerConfig, ServerHealth, SignInResponse } from '@toolyard/mcp-host';
import { inspectServer, McpHost, redactedError, redactorFor, unseenPin } from '@toolyard/mcp-host';
import type {
  McpServerIcon,
  McpServerList,
  McpServerView,
  McpSignInStarted,
  McpTestReport,
  Owner,
  ResolvedAgentConfiguration,
  TestMcpServer,
  ToolReference,
} from '@toolyard/protocol';
import { defined, formatToolReference, ToolyardError, VERSION, say } from '@toolyard/protocol';
import type { Servers, ServerWait } from '../services.ts';
import { ChangeSignal } from './change-signal.ts';
import { createOwnTransports } from './own-transports.ts';
import { Selections } from './selections.ts';
import type { Differences } from './server-list.ts';
import { ServerList } from './server-list.ts';
import { EditableServers } from './editable-servers.ts';
import { PATIENCE_MS, ServerConnections } from './server-connections.ts';
import { ResourceFollows } from './resource-follows.ts';
import { ServerRequests } from './server-requests.ts';
import type { ServersOptions } from './servers-options.ts';
import { readServerIcon } from './read-icon.ts';
import { NO_USER_HANDLERS } from './no-user-handlers.ts';
import { isUnsandboxed, toServerView, toToolDetail } from './server-view.ts';
import { createSignInFetches } from './sign-in-fetches.ts';
import { startOrClose } from './start-or-close.ts';
import type { StoredPins } from './stored-pins.ts';
import { loadPins } from './stored-pins.ts';

/** Creates the MCP servers of this process. Enabled servers start connecting at once, in the background. */
export async function createServers(options: ServersOptions): Promise<ConnectedServers> {
  const { settings, owner, clock } = options;
  const book = await ServerList.open({ settings, owner, now: () => clock.now() });
  return startOrClose(new ConnectedServers(options, book, await loadPins(options)));
}

/** The MCP servers of a process with its own connections. */
export class ConnectedServers extends EditableServers implements Servers {
  readonly #options: ServersOptions;
  readonly #pins: StoredPins;
  readonly #signInFetches = createSignInFetches();
  readonly #host: McpHost;
  readonly #connections: ServerConnections;
  readonly #signal: ChangeSignal;
  readonly #inspect: Pick<InspectOptions, 'createTransport' | 'clock' | 'clientInfo' | 'signIn'>;
  /** Health of servers that are being tested. */
  readonly #tests = new Set<() => readonly ServerHealth[]>();
  readonly #broker: ServerRequests;
  readonly #follows: ResourceFollows;
  readonly #selections: Selections;
  readonly #wantsSignIn = new Set<string>();
  #onSignedIn: (serverId: string) => void = () => undefined;

  constructor(options: ServersOptions, book: ServerList, pins: StoredPins) {
    super({
      ...options,
      book,
      isShared: options.part !== undefined,
      isThere: (config) => options.part?.isThere(config) !== false,
    });
    const { clock, hub, signIns } = options;
    this.#options = options;
    this.#pins = pins;
    const clientInfo = { name: 'toolyard', version: VERSION };
    const own = createOwnTransports({
      fetches: this.fetches,
      hosted: this.hosted,
      pluginSettings: (id, config) => this.pluginSettings.values(id, config),
      ...defined({ functions: options.functions }),
      dataFolder: dirname(options.file),
      isListed: (id) => book.find(id)?.origin !== 'flag',
      servers: () => book.usable,
    });
    const createTransport = options.part?.transports(own) ?? own;
    const signIn = {
      store: signIns,
      fetchFor: (config: ServerConfig) => this.#signInFetches.for(config),
      introduction: { name: 'Toolyard' },
    };
    this.#host = new McpHost({
      servers: [],
      createTransport,
      clock,
      clientInfo,
      handlers: NO_USER_HANDLERS,
      callerRoots: true,
      pins,
      signIn,
    });
    this.#connections = new ServerConnections({ ...options, host: this.#host, book });
    this.#signal = new ChangeSignal(clock, (id) => hub.changed(null, 'servers', ...(id === '' ? [] : [id])));
    this.#host.onChange((id) => {
      this.#selections.changed(id);
      this.#signal.changed(id);
      this.#watchSignIn(id);
    });
    this.#selections = new Selections({
      host: this.#host,
      book,
      patienceMs: options.patienceMs,
      borrowIfOff: (id) => this.#connections.borrowIfOff(id),
      // A storage error must not block a run; sign-ins of other processes are missing then.
      lookForSignIns: () => this.lookForSignIns().catch(() => undefined),
      onUse: (id, calls) => this.#connections.use(id, calls),
    });
    this.#inspect = { createTransport, clock, clientInfo, signIn };
    this.#follows = new ResourceFollows({
      clock,
      follow: (id, uri, listener) => this.#host.resources.follow(id, uri, listener),
      changed: (id) => hub.changed(null, 'resources', id),
    });
    this.#broker = new ServerRequests({
      host: this.#host,
      clock,
      follows: this.#follows,
      ids: () => book.ids,
      redactor: (id) => this.redactor(id),
      ready: (id, signal) => this.#readyFor(id, signal),
      use: (id, calls) => this.#connections.use(id, calls),
    });
  }

  async start(): Promise<void> {
    if (await this.startList({ watch: this.#options.eager !== false })) await this.#readPins();
  }

  async list(principal: Owner): Promise<McpServerList> {
    const permissions = await this.permissions(principal);
    const health = new Map(this.#host.health().map((each) => [each.id, each]));
    const tools = new Map<string, IndexedTool[]>();
    for (const tool of this.#host.tools()) {
      const { serverId } = tool.tool;
      const known = tools.get(serverId);
      if (known === undefined) tools.set(serverId, [tool]);
      else known.push(tool);
    }
    // The decisions of groups are no tools that a user switches on.
    const listed = this.book.all.filter(({ id, origin }) => id !== GROUP_TOOLS.id || origin !== 'built-in');
    const items = listed.map((server) =>
      toServerView({
        server,
        enabled: this.book.isEnabled(server.id),
        health: this.#withLaunchOfTest(health.get(server.id)),
        tools: tools.get(server.id) ?? [],
        templates: this.#host.resources.templates(server.id).length,
        permissions,
        ...this.#ofTools,
      }),
    );
    return this.listOf(items);
  }

  /** Downloads during a test are also shown on the server's page. */
  #withLaunchOfTest(health: ServerHealth | undefined): ServerHealth | undefined {
    if (health === undefined || health.launch !== undefined) return health;
    const tested = [...this.#tests].flatMap((test) => test()).find(({ id, launch }) => id === health.id && launch);
    return tested?.launch === undefined ? health : { ...health, launch: tested.launch };
  }

  async test(principal: Owner, request: TestMcpServer, signal?: AbortSignal): Promise<McpTestReport> {
    const config = this.tried(principal, request);
    // Some servers offer more tools to clients that support elicitation; advertise the same capabilities as in use.
    return inspectServer({
      ...this.#inspect,
      handlers: NO_USER_HANDLERS,
      callerRoots: true,
      config,
      ...defined({ signal }),
      whileConnecting: (health) => {
        this.#tests.add(health);
        return () => this.#tests.delete(health);
      },
    });
  }

  async reconnect(principal: Owner, id: string): Promise<McpServerView> {
    this.check(principal, id);
    this.configOf(id);
    if (!this.book.isEnabled(id)) {
      throw new ToolyardError({
        code: 'conflict',
        message: say`The server "${id}" is disabled.`,
        hint: say`Enable it first; it then connects by itself.`,
      });
    }
    // The view shows errors.
    this.#host.reconnect(id).catch(() => undefined);
    await this.#host.whenSettled([id], new AbortController().signal, PATIENCE_MS);
    return this.view(principal, id);
  }

  async signIn(principal: Owner, id: string, redirectUrl: string): Promise<McpSignInStarted> {
    this.check(principal, id);
    this.configOf(id);
    const { authorizationUrl, issuer } = await this.#host.signIn(id, { redirectUrl });
    return { url: authorizationUrl, issuer };
  }

  finishSignIn(response: SignInResponse): Promise<string> {
    return this.#host.finishSignIn(response);
  }

  async signOut(principal: Owner, id: string): Promise<McpServerView> {
    this.check(principal, id);
    this.configOf(id);
    await this.#host.signOut(id);
    if (this.book.isEnabled(id)) {
      this.#connections.connect(id);
      await this.#host.whenSettled([id], undefined, PATIENCE_MS);
    }
    return this.view(principal, id);
  }

  async log(principal: Owner, id: string, after?: string) {
    this.check(principal, id);
    return this.#broker.log(id, after, this.redactor(id));
  }

  async icon(principal: Owner, id: string, signal?: AbortSignal): Promise<McpServerIcon> {
    this.check(principal, id);
    const icon = this.#host.health().find((each) => each.id === id)?.icon;
    if (icon === undefined) throw new ToolyardError({ code: 'not_found', message: say`"${id}" sent no icon.` });
    return readServerIcon(icon, signal);
  }

  /** Redacts the secrets of a server's configuration in a text. */
  redactor(id: string): (text: string) => string {
    const server = this.book.find(id);
    return server && 'config' in server ? redactorFor(server.config) : (text) => text;
  }

  async tools(principal: Owner, id: string) {
    await this.#readyFor(id);
    const { state, error } = this.#host.health().find((each) => each.id === id) ?? {};
    if (error !== undefined && state !== 'ready' && state !== 'reconnecting') {
      throw new ToolyardError(redactedError(error, this.redactor(id)));
    }
    const permissions = await this.permissions(principal);
    return this.#host
      .tools()
      .filter(({ tool }) => tool.serverId === id)
      .map((tool) => toToolDetail(tool, { permissions, ...this.#ofTools }));
  }

  call: Servers['call'] = (principal, id, request, signal) => this.#broker.call(principal, id, request, signal);
  testTool: Servers['testTool'] = (principal, id, request, signal) =>
    this.#broker.testTool(principal, id, request, signal);
  tasks: Servers['tasks'] = (_principal, id) => this.#broker.tasks(id);
  taskResult: Servers['taskResult'] = (_principal, id, taskId, signal) => this.#broker.taskResult(id, taskId, signal);
  cancelTask: Servers['cancelTask'] = (_principal, id, taskId) => this.#broker.cancelTask(id, taskId);
  followResources: Servers['followResources'] = (_principal, id, uris) => this.#broker.followResources(id, uris);
  resources: Servers['resources'] = (_principal, id) => this.#broker.resources(id);
  templates: Servers['templates'] = (_principal, id) => this.#broker.templates(id);
  read: Servers['read'] = (_principal, id, request, signal) => this.#broker.read(id, request, signal);
  app: Servers['app'] = (_principal, id, uri, signal) => this.#broker.app(id, uri, signal);
  skills: Servers['skills'] = (_principal, id, signal) => this.#broker.skills(id, signal);
  skillFile: Servers['skillFile'] = (_principal, id, file, signal) => this.#broker.skillFile(id, file, signal);
  prompts: Servers['prompts'] = () => this.#broker.prompts();
  getPrompt: Servers['getPrompt'] = (_principal, id, prompt, signal) => this.#broker.getPrompt(id, prompt, signal);
  complete: Servers['complete'] = (_principal, id, request, signal) => this.#broker.complete(id, request, signal);

  select(configuration: ResolvedAgentConfiguration, signal: AbortSignal, wait?: ServerWait): Promise<RunTools> {
    return this.#selections.select(configuration, signal, wait);
  }

  connectAll(): Promise<void> {
    return this.#connections.connectAll();
  }

  approve({ tool, definition = this.#host.definitionOf(tool) }: Parameters<Servers['approve']>[0]): void {
    const config = this.#host.configurations.get(tool.serverId);
    if (config?.builtIn === true) return;
    if (config !== undefined && definition !== undefined) return this.#host.approveTool(tool, definition);
    // The tool is not available, so any definition that appears later needs approval.
    const key = formatToolReference(tool);
    if (this.#pins.get(key) === undefined) this.#pins.set(key, unseenPin(definition ?? ''));
  }

  unsandboxed: Servers['unsandboxed'] = async (chosen = {}) => {
    const health = new Map(this.#host.health().map((each) => [each.id, each]));
    return this.book.usable
      .filter(({ id }) => chosen[id] ?? this.book.isEnabled(id))
      .filter((config) => isUnsandboxed(config, health.get(config.id)))
      .map(({ id }) => id);
  };

  /** For processes that offer these servers to others. */
  get host(): McpHost {
    return this.#host;
  }

  /** Reads changes and approvals made by another process with the same database. */
  async lookAgain(): Promise<void> {
    for (const id of await this.book.readAgain()) await this.#connections.switched(id);
    await this.#readPins();
    await this.lookForApprovals();
  }

  async #readPins(): Promise<void> {
    for (const tool of await this.#pins.readAgain()) this.#host.trust.reviewAgain(tool);
  }

  /** Connects an enabled server or disconnects a disabled one, if this process is responsible for it. */
  follow(id: string): Promise<void> {
    return this.#connections.follow(id);
  }

  /** Connects the server if needed, waits up to a limit, and keeps the connection for a while. */
  async ready(id: string, signal?: AbortSignal): Promise<void> {
    await this.#readyFor(id, signal);
    this.#connections.use(id, 0);
  }

  /** Reads sign-ins made by another process with the same database. */
  lookForSignIns(): Promise<void> {
    return this.#host.lookForSignIns();
  }

  onSignedIn(listener: (serverId: string) => void): void {
    this.#onSignedIn = listener;
  }

  async close(): Promise<void> {
    this.#connections.close();
    this.#follows.close();
    await this.closeList();
    await this.#host.close();
    await this.#pins.close();
    this.#signal.close();
    await this.fetches.close();
    await this.#signInFetches.close();
  }

  protected updated(differences: Differences): void {
    for (const id of [...differences.removed, ...differences.changed]) this.#follows.forget(id);
    this.#connections.update(differences);
  }

  protected switched(id: string): Promise<void> {
    return this.#connections.switched(id);
  }

  protected changed(id = ''): void {
    this.#signal.changed(id);
  }

  protected forgetSignIn(_principal: Owner, id: string): Promise<void> {
    return this.#host.signOut(id);
  }

  /** Further data for the view of a tool. */
  get #ofTools() {
    return {
      isToolOn: (tool: ToolReference) => this.book.isToolOn(tool),
      changeOf: (tool: ToolReference) => this.#host.trust.changeOf(tool),
      isIsolated: (listed: IndexedTool) => this.#options.functions?.isIsolated([listed], listed.tool) === true,
    };
  }

  #watchSignIn(id: string): void {
    const state = this.#connections.stateOf(id);
    if (state === 'needs_sign_in') this.#wantsSignIn.add(id);
    if (state === 'ready' && this.#wantsSignIn.delete(id)) this.#onSignedIn(id);
  }

  async #readyFor(id: string, signal?: AbortSignal): Promise<void> {
    this.configOf(id);
    await this.#connections.ready(id, signal);
  }
}
