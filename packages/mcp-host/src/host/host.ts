import type { ErrorInfo, McpAppDocument, McpTaskView, ToolOrigin, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { listAllPrompts } from './all-prompts.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { AllPrompts, McpHostOptions, ListedOffers } from './host-options.ts';
import { ActiveFlows } from './active-flows.ts';
import { makeManagedServer } from './make-managed-server.ts';
import { ServerCalls } from './server-calls.ts';
import { isListed, ServerRegistry } from './server-registry.ts';
import type { Stage } from './server-states.ts';
import { createEraMemory } from '../connection/era-memory.ts';
import type { NumberedEntry } from '../log/server-log.ts';
import type { WireEntry } from '../log/wire-log.ts';
import { SignIns } from '../oauth/sign-ins.ts';
import type { SignInResponse, StartedSignIn } from '../oauth/sign-in.ts';
import { ResourceStore } from '../catalogue/resource-store.ts';
import { isDisabled, SelectedTools } from './selected-tools.ts';
import type { ListedSkill, SkillFile } from '../catalogue/skills.ts';
import { ToolTrust } from '../catalogue/trust.ts';
import type {
  Completion,
  CompletionTarget,
  FilledPrompt,
  LogLevel,
  McpRequestOptions,
  ServerConfig,
  ServerHealth,
  SkippedItem,
  ToolHost,
} from '../types.ts';

/** How long closing waits for stopped calls to end, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;
/** How long shutdown waits for work in progress, in milliseconds. */
const SHUTDOWN_MS = 10_000;

const FAILED: ReadonlySet<Stage> = new Set(['unreached', 'failed', 'needs_sign_in']);

type ViewOptions = {
  chosen: (serverId: string) => boolean;
  hidden: (tool: ToolReference) => boolean;
  audience: 'model' | 'user';
};

/**
 * Connects to MCP servers and keeps them connected, indexes what they offer, and sends them requests. Servers are
 * independent: an error of one appears in its health only.
 *
 * @example
 * await using host = new McpHost({ servers, createTransport: createNodeTransports({ fetch }), clock, clientInfo });
 * await host.connectAll();
 * const tool = host.resolve('echo');
 * if (tool) await host.callTool(tool.tool, { message: 'hello' });
 *
 * @throws ToolyardError `bad_config` from the constructor if two servers have the same id, or an id is empty or
 * contains a slash.
 */
export class McpHost implements ToolHost, AsyncDisposable {
  /** Listed resources, cached contents and subscriptions. */
  readonly resources: ResourceStore;
  readonly tools: ToolHost['tools'];
  readonly resolve: ToolHost['resolve'];
  readonly callTool: ToolHost['callTool'];
  readonly resumeTask: ToolHost['resumeTask'];
  readonly #servers: ServerRegistry;
  readonly #flows: ActiveFlows;
  readonly #trust: ToolTrust;
  readonly #signIns: SignIns;
  readonly #calls: ServerCalls;
  readonly #origin: ToolOrigin;
  /** The log level for connections opened from now on; undefined leaves it to the servers. */
  #logLevel: LogLevel | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    const { clock } = options;
    const eraMemory = options.eraMemory ?? createEraMemory();
    this.#origin = options.origin ?? 'server';
    this.#logLevel = options.logLevel;
    this.#flows = new ActiveFlows(clock);
    this.#trust = new ToolTrust(options.pins ?? new Map());
    this.#signIns = new SignIns(options);
    this.#servers = new ServerRegistry(clock, (config, after) =>
      makeManagedServer(config, after, {
        options,
        eraMemory,
        signIns: this.#signIns,
        resources: () => this.resources,
        logLevel: () => this.#logLevel,
        onChange: (entry) => {
          if (entry.stage === 'ready') this.#trust.review(entry.config, entry.tools);
          this.#servers.notify(entry.config.id);
        },
      }),
    );
    this.#calls = new ServerCalls(this.#servers, this.#flows, this.#trust);
    const all = this.#createView({ chosen: () => true, hidden: () => false, audience: 'user' });
    this.tools = () => all.tools();
    this.resolve = (name) => all.resolve(name);
    this.callTool = this.#calls.callTool.bind(this.#calls, null);
    this.resumeTask = this.#calls.resumeTask.bind(this.#calls, null);
    this.resources = new ResourceStore({
      clock,
      catalogue: (id) => this.#servers.find(id)?.catalogue,
      read: (id, uri, more) => this.#calls.ask(id, more, (session) => session.readResource(uri, more)),
      follow: async (id, wanted, added, removed) => this.#servers.find(id)?.session?.follow(wanted, added, removed),
    });
    for (const config of options.servers) this.#servers.add(config);
  }

  /** The number of requests in progress and acquired flows. */
  get activeFlows(): number {
    return this.#flows.active;
  }

  /** The error of the first server that failed; the error of each is in its health. */
  get error(): ErrorInfo | undefined {
    return this.#servers.all.find(({ stage }) => FAILED.has(stage))?.error;
  }

  get toolCount(): number {
    return this.#servers.all.reduce((sum, { tools }) => sum + tools.size, 0);
  }

  get connectedServers(): string[] {
    return this.#servers.all.filter(({ stage }) => stage === 'ready').map(({ config }) => config.id);
  }

  get configurations(): ReadonlyMap<string, ServerConfig> {
    return new Map(this.#servers.all.map(({ config }) => [config.id, config]));
  }

  /**
   * Connects all servers that are neither ready nor disabled, in parallel. Resolves when each is ready or has failed;
   * failures are reported by {@link McpHost.health}, not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#flows.isClosed) return;
    await Promise.allSettled(
      this.#servers.all.filter(({ stage }) => stage !== 'disabled').map((entry) => entry.connect()),
    );
  }

  /** Adds a server without connecting it. @throws ToolyardError `bad_config` for its id */
  add(config: ServerConfig): void {
    this.#flows.refuseWhenClosed();
    this.#servers.add(config);
    this.#servers.notify(config.id);
  }

  /** Disconnects and removes a server. Resolves when its connections are closed; does nothing for an unknown id. */
  async remove(id: string): Promise<void> {
    this.resources.forget(id);
    await this.#servers.remove(id);
    if (this.#servers.find(id) === undefined) this.#signIns.forget(id);
  }

  /**
   * Disconnects a server and replaces it by one with the same id, which is not connected yet. Other servers are not
   * affected.
   *
   * @throws ToolyardError `not_found`
   */
  replace(config: ServerConfig): void {
    this.#flows.refuseWhenClosed();
    this.#servers.replace(config);
    this.resources.forget(config.id);
  }

  /**
   * Connects one server, even one that was disconnected or is disabled. Does nothing if it is ready; joins an attempt
   * in progress.
   *
   * @throws ToolyardError the reason of the failure, which {@link McpHost.health} also reports; `not_found` for an
   * unknown id
   */
  async connect(id: string): Promise<void> {
    this.#flows.refuseWhenClosed();
    await this.#servers.get(id).connect();
  }

  /** Disconnects a server: stops its calls and closes its process or session. It can be connected again. */
  async disconnect(id: string): Promise<void> {
    await this.#servers.get(id).disconnect();
  }

  /** Disconnects a server and connects it again. @throws as {@link McpHost.connect} does */
  async reconnect(id: string): Promise<void> {
    this.#flows.refuseWhenClosed();
    const entry = this.#servers.get(id);
    // A launcher killed during its download would start over, so its attempt is joined instead.
    if (entry.health().launch === undefined) void entry.disconnect();
    await entry.connect();
  }

  /** Disables a server, which disconnects it, or enables it without connecting it. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.#servers.get(id).setEnabled(enabled);
  }

  /** Those of these servers that a run waits for: each connects, and its last attempt did not fail. */
  awaited(serverIds: Iterable<string>): string[] {
    return [...serverIds].filter((id) => this.#servers.find(id)?.isAwaited === true);
  }

  /** Resolves when none of these is {@link awaited} any more, also while one is retried; after `ms`, or on abort. */
  async whenNoneAwaited(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    const ids = [...serverIds];
    await this.#servers.when(() => this.awaited(ids).length === 0, signal, ms);
  }

  /**
   * Resolves when each of these servers is ready or an attempt to connect it has failed, after `ms`, or when the signal
   * is aborted. A server that reconnects is settled: its tools stay known.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#servers.whenSettled(serverIds, signal, ms);
  }

  /**
   * Resolves when a ready server has listed its resources and prompts (after its tools), after `ms`, or when the signal
   * is aborted; at once for a server that is not ready.
   */
  async whenListed(id: string, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#servers.when(() => isListed(this.#servers.find(id)?.health()), signal, ms);
  }

  /**
   * Resolves when the tools of a server that announced a change are listed again, after a few seconds at most.
   * Undefined if the list is up to date.
   */
  toolsUpToDate(id: string): Promise<void> | undefined {
    return this.#servers.find(id)?.session?.toolsUpToDate();
  }

  /** All servers, in the configured order. */
  health(): ServerHealth[] {
    return this.#servers.all.map((entry) => entry.health());
  }

  /** The log of a server, oldest first; bounded. */
  log(id: string): NumberedEntry[] {
    return this.#servers.find(id)?.log.numbered() ?? [];
  }

  /** The last messages exchanged with a server, oldest first, shortened and without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#servers.find(id)?.wire.entries() ?? [];
  }

  /** Increases with every change in health or offer of a server; use it to invalidate derived data. */
  get changes(): number {
    return this.#servers.changes;
  }

  /** Subscribes to changes in health or offer of any server; the returned function unsubscribes. */
  onChange(listener: (serverId: string) => void): () => void {
    return this.#servers.onChange(listener);
  }

  /** Sets the minimum level that all servers should log. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    await Promise.all(this.#servers.all.map(async (entry) => entry.session?.setLogLevel(level)));
  }

  /** Notifies servers that the roots have changed. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#servers.all.map(async (entry) => entry.session?.rootsChanged()));
  }

  /**
   * Starts work that {@link McpHost.shutdown} waits for; the returned function ends it and is idempotent.
   *
   * @throws ToolyardError `server_closed` after shutdown has begun
   */
  acquire(): () => void {
    this.#flows.refuseWhenClosed();
    return this.#flows.acquire();
  }

  /** Rejects new work, waits a limited time for work in progress, then closes. */
  async shutdown(waitMs = SHUTDOWN_MS): Promise<void> {
    this.#flows.close();
    await this.#flows.whenIdle(waitMs);
    await this.close();
  }

  /**
   * Rejects new calls, stops those in progress (each ends with an unknown outcome), and disconnects all servers in
   * parallel. Resolves when everything is closed; idempotent.
   */
  close(): Promise<void> {
    this.#flows.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const entry of this.#servers.all) entry.abortCalls();
    await this.#flows.whenIdle(CLOSE_TIMEOUT_MS);
    await this.#servers.close();
    this.resources.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * What a model gets of some servers, or of all: no hidden tools, and none that only apps may call; calls of other
   * tools are not sent. It follows changes of its servers, and includes a server added later if its id is selected.
   *
   * @param onCall called when a call of a server begins; the function it returns is called when the call ends
   */
  select(
    serverIds: ReadonlySet<string> | 'all',
    hidden: (tool: ToolReference) => boolean = () => false,
    onCall?: (serverId: string) => () => void,
  ): ToolHost {
    const chosen = (id: string): boolean => serverIds === 'all' || serverIds.has(id);
    const view = this.#createView({ chosen, hidden, audience: 'model' });
    const selection = { view, onCall };
    return {
      tools: () => view.tools(),
      resolve: (name) => view.resolve(name),
      callTool: this.#calls.callTool.bind(this.#calls, selection),
      resumeTask: this.#calls.resumeTask.bind(this.#calls, selection),
    };
  }

  /** Approved tools and whether their approval still applies. A tool with a void approval is not called. */
  get trust(): Pick<ToolTrust, 'verdict' | 'voided' | 'onVoided' | 'findChange' | 'reviewAgain' | 'getEndpoint'> {
    return this.#trust;
  }

  /** True if the operator trusts the annotations of this server's tools. */
  isTrusted(serverId: string): boolean {
    return this.#servers.find(serverId)?.config.trusted === true;
  }

  /** The configured working folder of a local server; undefined if none is configured, and for remote servers. */
  findWorkingFolder(serverId: string): string | undefined {
    const transport = this.#servers.find(serverId)?.config.transport;
    return transport?.type === 'stdio' ? transport.cwd : undefined;
  }

  /**
   * Hash of a tool's current definition and endpoint; it changes when either does. Undefined if the tool is not
   * offered.
   */
  findDefinition(tool: ToolReference): string | undefined {
    return this.#calls.findDefinition(tool);
  }

  /**
   * Pins a tool with its current definition, or with this {@link McpHost.findDefinition}; it is then called only while
   * its definition stays the same.
   *
   * @throws ToolyardError `not_found` if it is not offered and no definition is given
   */
  approveTool({ serverId, name }: ToolReference, definition?: string): void {
    const entry = this.#servers.get(serverId);
    const tool = entry.tools.get(name);
    if (tool !== undefined) return this.#trust.approve(entry.config, tool, definition);
    if (definition !== undefined) return this.#trust.approveUnseen({ serverId, name }, definition);
    throw new ToolyardError({ code: 'not_found', message: say`The server "${serverId}" has no tool "${name}".` });
  }

  /** The app of a tool: its HTML and what it declares about itself. @throws ToolyardError */
  readApp(serverId: string, uri: string, options: McpRequestOptions = {}): Promise<McpAppDocument> {
    return this.#calls.ask(serverId, options, (session) => session.readApp(uri, options));
  }

  /** The skills of a server; their files are not fetched. @throws ToolyardError */
  skills(
    serverId: string,
    options: McpRequestOptions = {},
  ): Promise<{ skills: ListedSkill[]; skipped: SkippedItem[] }> {
    return this.#calls.ask(serverId, options, (session) => session.listSkills(options));
  }

  /**
   * Reads a file of a skill, by default its `SKILL.md`, and verifies it against the server's listing.
   *
   * @throws ToolyardError `bad_response` for a file that differs from its listing: do not use the skill
   */
  readSkill(serverId: string, uri: string, path?: string, options: McpRequestOptions = {}): Promise<SkillFile> {
    return this.#calls.ask(serverId, options, (session) => session.readSkill(uri, path, options));
  }

  /**
   * The authorization URL of a server. The browser returns to `redirectUrl`, and its parameters go to {@link
   * McpHost.finishSignIn} of this host or of another one with the same store. @throws ToolyardError
   */
  async signIn(serverId: string, { redirectUrl }: { redirectUrl: string }): Promise<StartedSignIn> {
    this.#flows.refuseWhenClosed();
    return this.#signIns.begin(this.#servers.get(serverId).config.id, redirectUrl);
  }

  /**
   * Exchanges the parameters of the redirect for tokens, once, and connects the server in the background; returns its
   * id.
   *
   * @throws ToolyardError `not_found` for an unknown `state`; `server_refused` if the sign-in failed
   */
  async finishSignIn(response: SignInResponse): Promise<string> {
    this.#flows.refuseWhenClosed();
    return this.#signIns.finish(response);
  }

  /**
   * Connects servers that wait for a sign-in which another process with the same store has completed.
   *
   * @throws ToolyardError if the store cannot be read; the sign-in is not announced again
   */
  async reloadSignIns(): Promise<void> {
    const waiting = this.health().filter(({ state }) => state === 'needs_sign_in');
    await Promise.all(waiting.map(({ id }) => this.#signIns.detect(id)));
  }

  /** Deletes the tokens of a server and disconnects it. @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    const entry = this.#servers.get(serverId);
    await this.#signIns.signOut(serverId);
    await entry.disconnect();
  }

  /** Gets a prompt with arguments. @throws ToolyardError */
  getPrompt(
    serverId: string,
    name: string,
    args: Record<string, string> = {},
    options: McpRequestOptions = {},
  ): Promise<FilledPrompt> {
    return this.#calls.ask(serverId, options, (session) => session.getPrompt(name, args, options));
  }

  /** The prompts of all ready servers, listed in parallel; a failing server does not hide the others. */
  async getAllPrompts(): Promise<AllPrompts> {
    return listAllPrompts(this.connectedServers, (id) => this.#calls.ask(id, {}, (session) => session.listPrompts()));
  }

  /**
   * The tasks of a server, newest first: those that it lists (2025-11-25), and those that calls of this host became.
   *
   * @throws ToolyardError
   */
  tasks(serverId: string, options: McpRequestOptions = {}): Promise<McpTaskView[]> {
    return this.#calls.tasks(serverId, options);
  }

  /** The result of a task that has ended. @throws ToolyardError `not_found`, `conflict` while it has not ended */
  taskResult(serverId: string, taskId: string, options: McpRequestOptions = {}): Promise<ToolResult> {
    return this.#calls.taskResult(serverId, taskId, options);
  }

  /** Cancels a task; the call that waits for it ends with an unknown outcome. @throws ToolyardError */
  cancelTask(serverId: string, taskId: string, options: McpRequestOptions = {}): Promise<void> {
    return this.#calls.ask(serverId, options, (session) => session.cancelTask(taskId, options));
  }

  /** What a server has listed; while it is reconnecting, its tools only. */
  offered(serverId: string): ListedOffers {
    const entry = this.#servers.find(serverId);
    const { resources = [], templates = [], prompts = [] } = entry?.catalogue ?? {};
    return { tools: [...(entry?.tools.values() ?? [])], resources, templates, prompts };
  }

  /** A server for a proxy that serves it to other clients; waits for one that is reconnecting. @throws ToolyardError */
  forwarded(serverId: string, signal?: AbortSignal): Promise<ForwardedServer> {
    return this.#calls.forwarded(serverId, signal);
  }

  /**
   * Completes an argument of a prompt or a resource template; `others` are the arguments filled in so far.
   *
   * @throws ToolyardError
   */
  complete(
    serverId: string,
    target: CompletionTarget,
    argument: { name: string; value: string },
    others: Record<string, string> = {},
    options: McpRequestOptions = {},
  ): Promise<Completion> {
    return this.#calls.ask(serverId, options, (session) => session.complete(target, argument, others, options));
  }

  #createView({ chosen, hidden, audience }: ViewOptions): SelectedTools {
    return new SelectedTools({
      origin: this.#origin,
      audience,
      sources: () => this.#servers.all.filter(({ config }) => chosen(config.id)),
      hidden: (tool) => hidden(tool) || isDisabled(this.#servers.find(tool.serverId)?.config, tool.name),
    });
  }
}
