import type { HostedConfig, IndexedTool, ServerConfig, ServerState, SignInResponse } from '@toolyard/mcp-host';
import { HostedServers, McpHost, redactedError, redactorFor } from '@toolyard/mcp-host';
import type {
  AddMcpServer,
  ChangeMcpServer,
  EditMcpServer,
  McpServerList,
  McpServerView,
  McpSignInStarted,
  PermissionView,
  Principal,
  ResolvedAgentConfiguration,
  ToolReference,
} from '@toolyard/protocol';
import { toErrorInfo, ToolyardError, VERSION } from '@toolyard/protocol';
import { createOwnerFetches } from '../config/owner-fetches.ts';
import type { Servers, ToolSelection } from '../services.ts';
import { BorrowedServers } from './borrowed-servers.ts';
import { ChangeSignal } from './change-signal.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import { configuredServers } from './configured-servers.ts';
import { createHostedStore } from './hosted-store.ts';
import { createOwnTransports } from './own-transports.ts';
import { Selections } from './selections.ts';
import { ServerBook } from './server-book.ts';
import { ServerDesk } from './server-desk.ts';
import { ServerEditor } from './server-editor.ts';
import { ServerFile } from './server-file.ts';
import type { ServersOptions } from './servers-options.ts';
import { NOBODY } from './nobody.ts';
import { toServerView, toToolDetail } from './server-view.ts';
import { createSignInFetches } from './sign-in-fetches.ts';
import type { StoredPins } from './stored-pins.ts';
import { loadPins } from './stored-pins.ts';

/** How long a run, or whoever has asked for a connection, waits for servers that are connecting, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The MCP servers of this process. Those that are switched on begin to connect at once; nobody waits for them. */
export async function createServers(options: ServersOptions): Promise<OwnServers> {
  const { settings, owner, clock } = options;
  const book = await ServerBook.open({ settings, owner, now: () => clock.now() });
  const servers = new OwnServers(options, book, await loadPins(options));
  await servers.start();
  return servers;
}

export class OwnServers implements Servers {
  readonly #options: ServersOptions;
  readonly #book: ServerBook;
  readonly #pins: StoredPins;
  readonly #file: ServerFile;
  readonly #fetches = createOwnerFetches();
  readonly #hosted: HostedServers;
  readonly #signInFetches = createSignInFetches();
  readonly #host: McpHost;
  readonly #borrowed: BorrowedServers;
  readonly #signal: ChangeSignal;
  readonly #editor: ServerEditor;
  readonly #desk: ServerDesk;
  readonly #selections: Selections;
  /** Changes of the configuration, one after the other. */
  #reconciling: Promise<void> = Promise.resolve();
  readonly #told = new Set<string>();
  readonly #wantsSignIn = new Set<string>();
  #onSignedIn: (serverId: string) => void = () => undefined;

  constructor(options: ServersOptions, book: ServerBook, pins: StoredPins) {
    const { clock, hub, file, env, log, signIns } = options;
    this.#options = options;
    this.#book = book;
    this.#pins = pins;
    this.#file = new ServerFile({ path: file, env, clock, log, onChange: () => void this.#reconcile() });
    const clientInfo = { name: 'toolyard', version: VERSION };
    this.#hosted = new HostedServers({
      // Only the services themselves are asked through it, and their addresses are the owner's.
      fetch: (input, init) => this.#fetches.for(String(input))(input, init),
      ...(options.secrets === undefined ? {} : { store: createHostedStore(options.secrets, options.owner) }),
    });
    const own = createOwnTransports(this.#fetches, this.#hosted);
    const createTransport = options.part?.transports(own) ?? own;
    const signIn = {
      store: signIns,
      fetchFor: (config: ServerConfig) => this.#signInFetches.for(config),
      introduction: { name: 'Toolyard' },
    };
    this.#host = new McpHost({ servers: [], createTransport, clock, clientInfo, handlers: NOBODY, pins, signIn });
    this.#borrowed = new BorrowedServers(clock, (id) => void this.#host.disconnect(id));
    this.#signal = new ChangeSignal(clock, (id) => hub.changed(null, 'servers', ...(id === '' ? [] : [id])));
    this.#host.onChange((id) => {
      this.#selections.changed(id);
      this.#signal.changed(id);
      this.#watchSignIn(id);
    });
    this.#selections = new Selections({
      host: this.#host,
      book,
      patienceMs: PATIENCE_MS,
      stateOf: (id) => this.#stateOf(id),
      borrowIfOff: (id) => this.#borrowIfOff(id),
      lookForSignIns: () => this.lookForSignIns(),
      onUse: (id, calls) => this.#borrowed.use(id, calls),
    });
    this.#editor = new ServerEditor({
      book,
      file: this.#file,
      inspect: { createTransport, clock, clientInfo, signIn },
    });
    this.#desk = new ServerDesk({
      host: this.#host,
      ids: () => book.ids,
      redactor: (id) => this.redactor(id),
      ready: (id, signal) => this.#readyFor(id, signal),
      use: (id, calls) => this.#borrowed.use(id, calls),
    });
  }

  async start(): Promise<void> {
    await this.#reconcile();
    if (this.#options.eager !== false) this.#file.watch();
  }

  async list(principal: Principal): Promise<McpServerList> {
    const permissions = await this.#permissions(principal);
    const health = new Map(this.#host.health().map((each) => [each.id, each]));
    const tools = new Map<string, IndexedTool[]>();
    for (const tool of this.#host.tools()) {
      const { serverId } = tool.tool;
      const known = tools.get(serverId);
      if (known === undefined) tools.set(serverId, [tool]);
      else known.push(tool);
    }
    const items = this.#book.all.map((server) =>
      toServerView({
        server,
        enabled: this.#book.isEnabled(server.id),
        health: health.get(server.id),
        tools: tools.get(server.id) ?? [],
        templates: this.#host.resources.templates(server.id).length,
        permissions,
        ...this.#ofTools,
      }),
    );
    const { fault } = this.#file;
    return { items, ...(fault === undefined ? {} : { fileFault: fault }) };
  }

  async add(principal: Principal, { id, ...server }: AddMcpServer): Promise<McpServerView> {
    this.#checkOwner(principal);
    this.#editor.add(id, server);
    await this.#book.forget([id], [id]);
    await this.#reconcile();
    return this.#view(principal, id);
  }

  async configuration(principal: Principal, id: string) {
    this.#check(principal, id);
    return this.#editor.configuration(id, this.#book.isEnabled(id));
  }

  async edit(principal: Principal, id: string, edit: EditMcpServer): Promise<McpServerView> {
    this.#check(principal, id);
    this.#editor.edit(id, edit, this.#book.isEnabled(id));
    await this.#book.forget([id], edit.disabledTools === undefined ? [] : [id]);
    await this.#reconcile();
    return this.#view(principal, id);
  }

  async remove(principal: Principal, id: string): Promise<void> {
    this.#check(principal, id);
    const transport = this.#host.configurations.get(id)?.transport;
    this.#editor.remove(id);
    // Nobody is to find a way in that was left behind.
    await this.#host.signOut(id).catch(() => undefined);
    await this.#book.forget([id], [id]);
    await this.#reconcile();
    if (transport?.type === 'hosted') await this.#giveBack(id, transport);
  }

  /** What its service still has of a server that was removed; that it cannot be given back just now keeps nobody. */
  async #giveBack(serverId: string, transport: HostedConfig): Promise<void> {
    const { clock, log } = this.#options;
    await this.#hosted.remove(transport, { serverId, clock }).catch((thrown: unknown) => {
      log(`The hosted server "${serverId}" was removed here and not at its service: ${toErrorInfo(thrown).message}`);
    });
  }

  async change(principal: Principal, id: string, { enabled, tools }: ChangeMcpServer): Promise<McpServerView> {
    this.#check(principal, id);
    if (tools !== undefined) await this.#book.switchTools(id, tools);
    if (enabled !== undefined) {
      await this.#book.switchServer(id, enabled);
      await this.#switch(id);
    }
    this.#signal.changed(id);
    return this.#view(principal, id);
  }

  async test(principal: Principal, request: Parameters<Servers['test']>[1], signal?: AbortSignal) {
    this.#checkOwner(principal);
    return this.#editor.test(request, signal);
  }

  async reconnect(principal: Principal, id: string): Promise<McpServerView> {
    this.#check(principal, id);
    this.#configOf(id);
    if (!this.#book.isEnabled(id)) {
      throw new ToolyardError({
        code: 'conflict',
        message: `The server "${id}" is switched off.`,
        hint: 'Switch it on first; it connects by itself then.',
      });
    }
    this.#selections.waitAgainFor(id);
    // What goes wrong stands in the view.
    this.#host.reconnect(id).catch(() => undefined);
    await this.#host.whenSettled([id], new AbortController().signal, PATIENCE_MS);
    return this.#view(principal, id);
  }

  async signIn(principal: Principal, id: string, redirectUrl: string): Promise<McpSignInStarted> {
    this.#check(principal, id);
    this.#configOf(id);
    const { authorizationUrl, issuer } = await this.#host.signIn(id, { redirectUrl });
    return { url: authorizationUrl, issuer };
  }

  finishSignIn(response: SignInResponse): Promise<string> {
    return this.#host.finishSignIn(response);
  }

  async signOut(principal: Principal, id: string): Promise<McpServerView> {
    this.#check(principal, id);
    this.#configOf(id);
    await this.#host.signOut(id);
    if (this.#book.isEnabled(id)) {
      this.#connect(id);
      await this.#host.whenSettled([id], undefined, PATIENCE_MS);
    }
    return this.#view(principal, id);
  }

  async log(principal: Principal, id: string, after?: string) {
    this.#check(principal, id);
    return this.#desk.log(id, after, this.redactor(id));
  }

  /** Takes the secrets of a server's configuration out of a text. */
  redactor(id: string): (text: string) => string {
    const server = this.#book.find(id);
    return server && 'config' in server ? redactorFor(server.config) : (text) => text;
  }

  async tools(principal: Principal, id: string) {
    await this.#readyFor(id);
    const { state, error } = this.#host.health().find((each) => each.id === id) ?? {};
    if (error !== undefined && state !== 'ready' && state !== 'reconnecting') {
      throw new ToolyardError(redactedError(error, this.redactor(id)));
    }
    const permissions = await this.#permissions(principal);
    return this.#host
      .tools()
      .filter(({ tool }) => tool.serverId === id)
      .map((tool) => toToolDetail(tool, { permissions, ...this.#ofTools }));
  }

  call: Servers['call'] = (_principal, id, request, signal) => this.#desk.call(id, request, signal);
  resources: Servers['resources'] = (_principal, id) => this.#desk.resources(id);
  templates: Servers['templates'] = (_principal, id) => this.#desk.templates(id);
  read: Servers['read'] = (_principal, id, uri, signal) => this.#desk.read(id, uri, signal);
  prompts: Servers['prompts'] = () => this.#desk.prompts();
  getPrompt: Servers['getPrompt'] = (_principal, id, prompt, signal) => this.#desk.getPrompt(id, prompt, signal);
  complete: Servers['complete'] = (_principal, id, request, signal) => this.#desk.complete(id, request, signal);

  select(configuration: ResolvedAgentConfiguration, signal: AbortSignal): Promise<ToolSelection> {
    return this.#selections.select(configuration, signal);
  }

  /** Connects all that are on, and waits for them, bounded. */
  async connectAll(): Promise<void> {
    const ids = this.#book.all.flatMap((server) =>
      'config' in server && this.#book.isEnabled(server.id) ? [server.id] : [],
    );
    for (const id of ids) this.#connect(id);
    await this.#host.whenSettled(ids, undefined, PATIENCE_MS);
  }

  approve({ tool, definition = this.#host.definitionOf(tool) }: Parameters<Servers['approve']>[0]): void {
    const config = this.#host.configurations.get(tool.serverId);
    if (definition !== undefined && config?.builtIn !== true) this.#host.approveTool(tool, definition);
  }

  /** For whoever offers the servers of this process to others. */
  get host(): McpHost {
    return this.#host;
  }

  /** Those that can be connected to, as they are configured now. */
  get configured(): ServerConfig[] {
    return this.#book.all.flatMap((server) => ('config' in server ? [server.config] : []));
  }

  /** Takes over what was switched and approved in another process over the same database. */
  async lookAgain(): Promise<void> {
    for (const id of await this.#book.readAgain()) await this.#switch(id);
    for (const tool of await this.#pins.readAgain()) this.#host.trust.reviewAgain(tool);
  }

  /** Connects a server that is on, or leaves one, as far as it is this process's to do. */
  async follow(id: string): Promise<void> {
    if (this.#options.part?.mayConnect(id) === false) await this.#host.disconnect(id);
    else if (this.#book.isEnabled(id)) this.#connect(id);
  }

  /** Connects it if need be, waits, bounded, and keeps it for a while. */
  async ready(id: string, signal?: AbortSignal): Promise<void> {
    await this.#readyFor(id, signal);
    this.#borrowed.use(id, 0);
  }

  /** Somebody may have signed in at another process over the same database. */
  lookForSignIns(): Promise<void> {
    return this.#host.lookForSignIns();
  }

  onSignedIn(listener: (serverId: string) => void): void {
    this.#onSignedIn = listener;
  }

  async close(): Promise<void> {
    this.#file.close();
    this.#borrowed.close();
    await this.#reconciling.catch(() => undefined);
    await this.#host.close();
    this.#signal.close();
    await this.#fetches.close();
    await this.#signInFetches.close();
  }

  /** What else a tool is shown with. */
  get #ofTools() {
    return {
      isToolOn: (tool: ToolReference) => this.#book.isToolOn(tool),
      changeOf: (tool: ToolReference) => this.#host.trust.changeOf(tool),
    };
  }

  #watchSignIn(id: string): void {
    const state = this.#stateOf(id);
    if (state === 'needs_sign_in') this.#wantsSignIn.add(id);
    if (state === 'ready' && this.#wantsSignIn.delete(id)) this.#onSignedIn(id);
  }

  /** Makes what runs what is configured; a server that has not changed is not touched. */
  #reconcile(): Promise<void> {
    this.#reconciling = this.#reconciling.then(
      () => this.#reconcileNow(),
      () => this.#reconcileNow(),
    );
    return this.#reconciling;
  }

  async #reconcileNow(): Promise<void> {
    const { builtIn, flags, eager } = this.#options;
    const tell = (line: string): void => this.#tellOnce(line);
    const servers = configuredServers({ builtIn, entries: this.#file.entries, flags, log: tell }).filter(
      (server) => 'fault' in server || this.#options.part?.isThere(server.config) !== false,
    );
    const { removed, added, changed, switched } = await this.#book.update(servers);
    for (const id of [...removed, ...changed]) this.#borrowed.forget(id);
    for (const id of removed) void this.#host.remove(id);
    for (const id of [...added, ...changed]) {
      const server = this.#book.find(id);
      if (server !== undefined) this.#place(server);
    }
    for (const id of switched) void this.#switch(id);
    if (eager !== false) {
      for (const id of [...added, ...changed]) if (this.#book.isEnabled(id)) this.#connect(id);
    }
    const ids = [...removed, ...added, ...changed, ...switched];
    // With no server something else has changed that is told with them: whether the file can be read.
    for (const id of ids.length === 0 ? [''] : ids) this.#signal.changed(id);
  }

  #tellOnce(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#options.log(line);
  }

  #place(server: ConfiguredServer): void {
    const isThere = this.#host.configurations.has(server.id);
    if ('fault' in server) {
      if (isThere) void this.#host.remove(server.id);
    } else if (isThere) this.#host.replace(server.config);
    else this.#host.add(server.config);
  }

  async #switch(id: string): Promise<void> {
    this.#borrowed.forget(id);
    const server = this.#book.find(id);
    if (server === undefined || 'fault' in server) return;
    if (!this.#book.isEnabled(id)) await this.#host.disconnect(id);
    else if (this.#options.eager !== false) this.#connect(id);
  }

  /** Connects it if need be and waits, bounded; what cannot be waited for shows in what is asked next. */
  async #readyFor(id: string, signal?: AbortSignal): Promise<void> {
    this.#configOf(id);
    this.#borrowIfOff(id);
    const state = this.#stateOf(id);
    if (state === 'idle' || state === 'disabled') this.#connect(id);
    await this.#host.whenSettled([id], signal, PATIENCE_MS);
    signal?.throwIfAborted();
  }

  #borrowIfOff(id: string): void {
    if (this.#book.isEnabled(id)) return;
    this.#borrowed.borrow(id);
    if (this.#stateOf(id) === 'idle') this.#connect(id);
  }

  #stateOf(id: string): ServerState | undefined {
    return this.#host.health().find((each) => each.id === id)?.state;
  }

  /** In the background: what goes wrong stands in the health of the server, and in the log. */
  #connect(id: string): void {
    const server = this.#book.find(id);
    if (this.#options.part?.mayConnect(id) === false) return;
    this.#host.connect(id).catch((thrown: unknown) => {
      if (!ToolyardError.isInstance(thrown) || thrown.code === 'server_closed') return;
      if (server === undefined || 'fault' in server) return;
      this.#options.log(`MCP server ${id}: ${redactorFor(server.config)(thrown.message)}`);
    });
  }

  async #permissions(principal: Principal): Promise<PermissionView[]> {
    const decided = await this.#options.permissions.list(principal);
    return decided.filter(({ conversationId }) => conversationId === null);
  }

  async #view(principal: Principal, id: string): Promise<McpServerView> {
    const view = (await this.list(principal)).items.find((server) => server.id === id);
    if (view === undefined) throw noServer(id);
    return view;
  }

  /** @throws ToolyardError `not_found`, `conflict` where its entry cannot be read */
  #configOf(id: string): ServerConfig {
    const server = this.#book.find(id);
    if (server === undefined) throw noServer(id);
    if ('config' in server) return server.config;
    const { message, hint } = server.fault;
    throw new ToolyardError({ code: 'conflict', message, ...(hint === undefined ? {} : { hint }) });
  }

  #check(principal: Principal, id: string): void {
    if (this.#book.find(id) === undefined) throw noServer(id);
    this.#checkOwner(principal);
  }

  #checkOwner(principal: Principal): void {
    if (principal.ownerId === this.#options.owner.ownerId) return;
    throw new ToolyardError({
      code: 'forbidden',
      message: 'MCP servers are switched and changed by whoever runs this Toolyard.',
      hint: 'In a conversation you can still choose which of them it uses.',
    });
  }
}

function noServer(id: string): ToolyardError {
  return new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
}
