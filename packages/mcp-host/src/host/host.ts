import type { ErrorInfo, ToolOrigin, ToolReference } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { listAllPrompts } from './all-prompts.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { AllPrompts, McpHostOptions, ListedOffers } from './host-options.ts';
import { ActiveFlows } from './active-flows.ts';
import { makeManagedServer } from './make-managed-server.ts';
import { ServerCalls } from './server-calls.ts';
import { isListed, ServerRegistry } from './server-registry.ts';
import { createEraMemory } from '../connection/era-memory.ts';
import type { NumberedEntry } from '../log/server-log.ts';
import type { WireEntry } from '../log/wire-log.ts';
import { SignIns } from '../oauth/sign-ins.ts';
import type { SignInResponse, StartedSignIn } from '../oauth/sign-in.ts';
import { ResourceStore } from '../catalogue/resource-store.ts';
import { isSwitchedOff, SelectedTools } from './selected-tools.ts';
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

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;
/** How long shutting down waits for what is under way to end by itself, in milliseconds. */
const SHUTDOWN_MS = 10_000;

/**
 * Connects to MCP servers and keeps them connected, keeps what they offer in one index, and asks them for things. One
 * server's trouble is never another's: it shows in that server's health and nowhere else.
 *
 * @example
 * await using host = new McpHost({ servers, createTransport: createNodeTransports({ fetch }), clock, clientInfo });
 * await host.connectAll();
 * const tool = host.resolve('echo');
 * if (tool) await host.callTool(tool.tool, { message: 'hello' });
 *
 * @throws ToolyardError `bad_config` from the constructor if two servers have the same id, or an id is empty or has a
 * slash.
 */
export class McpHost implements ToolHost, AsyncDisposable {
  /** What is listed of resources, what was read of them, and who follows them. */
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
  /** From which level on servers that are connected from now on are to log; undefined as they like. */
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
          this.#servers.tell(entry.config.id);
        },
      }),
    );
    this.#calls = new ServerCalls(this.#servers, this.#flows, this.#trust);
    const all = this.#viewOf(
      () => true,
      () => false,
    );
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

  /** Requests being made right now, and flows that were acquired. */
  get activeFlows(): number {
    return this.#flows.active;
  }

  /** What is wrong with the first server that has failed; each server's own stands in its health. */
  get error(): ErrorInfo | undefined {
    return this.#servers.all.find(({ stage }) => stage === 'failed' || stage === 'needs_sign_in')?.error;
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
   * Connects every server that is not ready or switched off, all at once. Resolves when each is ready or has failed;
   * failures stand in {@link McpHost.health} and are not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#flows.isClosed) return;
    await Promise.allSettled(
      this.#servers.all.filter(({ stage }) => stage !== 'disabled').map((entry) => entry.connect()),
    );
  }

  /** Takes one more server, which is not connected yet. @throws ToolyardError `bad_config` for its id. */
  add(config: ServerConfig): void {
    this.#flows.refuseWhenClosed();
    this.#servers.add(config);
    this.#servers.tell(config.id);
  }

  /** Leaves a server and forgets it. Resolves when nothing of it is left; does nothing where there is none. */
  async remove(id: string): Promise<void> {
    this.resources.forget(id);
    await this.#servers.remove(id);
    if (this.#servers.find(id) === undefined) this.#signIns.forget(id);
  }

  /**
   * Leaves a server and takes this one of the same id instead, which is not connected yet; no other is touched.
   *
   * @throws ToolyardError `not_found`
   */
  replace(config: ServerConfig): void {
    this.#flows.refuseWhenClosed();
    this.#servers.replace(config);
    this.resources.forget(config.id);
  }

  /**
   * Connects one server, also one that was left or is switched off. Does nothing on one that is ready; joins an
   * attempt under way.
   *
   * @throws ToolyardError saying why it failed, which also stands in {@link McpHost.health}; `not_found` where there
   * is no such server.
   */
  async connect(id: string): Promise<void> {
    this.#flows.refuseWhenClosed();
    await this.#servers.get(id).connect();
  }

  /** Leaves one server: its calls are stopped, its process or session ended. It can be connected again. */
  async disconnect(id: string): Promise<void> {
    await this.#servers.get(id).disconnect();
  }

  /** Leaves one server and connects it anew. @throws as {@link McpHost.connect} does. */
  async reconnect(id: string): Promise<void> {
    this.#flows.refuseWhenClosed();
    const entry = this.#servers.get(id);
    // Ending a launcher in the middle of its download would make it begin again: its attempt is joined.
    if (entry.health().launch === undefined) void entry.disconnect();
    await entry.connect();
  }

  /** Switches a server off, which leaves it, or on, which does not connect it yet. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    await this.#servers.get(id).setEnabled(enabled);
  }

  /**
   * Resolves when none of these servers is connecting any more, after `ms`, or when the signal is aborted, whatever
   * comes first.
   */
  async whenSettled(serverIds: Iterable<string>, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#servers.whenSettled(serverIds, signal, ms);
  }

  /**
   * Resolves when a ready server has listed its resources and prompts, which follow its tools; after `ms`, or when
   * the signal is aborted; at once for one that is not ready.
   */
  async whenListed(id: string, signal: AbortSignal | undefined, ms: number): Promise<void> {
    await this.#servers.when(() => isListed(this.#servers.find(id)?.health()), signal, ms);
  }

  /**
   * Resolves when the tools of a server are listed again, if it has announced others; after a few seconds at most.
   * Undefined where they are known now.
   */
  whenToolsAreKnown(id: string): Promise<void> | undefined {
    return this.#servers.find(id)?.session?.whenToolsAreKnown();
  }

  /** Every server, in the configured order. */
  health(): ServerHealth[] {
    return this.#servers.all.map((entry) => entry.health());
  }

  /** What happened with a server, oldest first; bounded. */
  log(id: string): NumberedEntry[] {
    return this.#servers.find(id)?.log.numbered() ?? [];
  }

  /** The last messages exchanged with a server, oldest first, cut and without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#servers.find(id)?.wire.entries() ?? [];
  }

  /** Grows with every change in health or offer of a server: what was derived from them is valid until then. */
  get changes(): number {
    return this.#servers.changes;
  }

  /** Calls back after anything in health or offer of a server has changed; returns what ends that. */
  onChange(listener: (serverId: string) => void): () => void {
    return this.#servers.onChange(listener);
  }

  /** From which level on all servers are to log what they do. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    await Promise.all(this.#servers.all.map(async (entry) => entry.session?.setLogLevel(level)));
  }

  /** Tells servers that the folders the handler for roots gives are others now. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#servers.all.map(async (entry) => entry.session?.rootsChanged()));
  }

  /**
   * Begins something that {@link McpHost.shutdown} waits for; what is returned ends it and may be called twice.
   *
   * @throws ToolyardError `server_closed` when shutting down has begun
   */
  acquire(): () => void {
    this.#flows.refuseWhenClosed();
    return this.#flows.acquire();
  }

  /** Begins nothing new, waits (bounded) for what is under way to end by itself, then closes. */
  async shutdown(waitMs = SHUTDOWN_MS): Promise<void> {
    this.#flows.close();
    await this.#flows.whenIdle(waitMs);
    await this.close();
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#flows.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const entry of this.#servers.all) entry.abortCalls();
    await this.#flows.whenIdle(FAREWELL_MS);
    await this.#servers.close();
    this.resources.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * A view of some servers, but for hidden tools; whatever else is called is not sent. It follows their changes, and
   * may be asked at every turn. A server added later belongs to it if its id does.
   *
   * @param onCall told when a call of a server begins; what it returns is called when it is over
   */
  select(
    serverIds: ReadonlySet<string>,
    hidden: (tool: ToolReference) => boolean = () => false,
    onCall?: (serverId: string) => () => void,
  ): ToolHost {
    const view = this.#viewOf((id) => serverIds.has(id), hidden);
    const selection = { view, onCall };
    return {
      tools: () => view.tools(),
      resolve: (name) => view.resolve(name),
      callTool: this.#calls.callTool.bind(this.#calls, selection),
      resumeTask: this.#calls.resumeTask.bind(this.#calls, selection),
    };
  }

  /** What was approved of tools, and whether it still holds. A tool whose approval is void is not called. */
  get trust(): Pick<ToolTrust, 'verdict' | 'voided' | 'onVoided' | 'changeOf' | 'reviewAgain'> {
    return this.#trust;
  }

  /** True where the owner believes what a server says of its tools. */
  isTrusted(serverId: string): boolean {
    return this.#servers.find(serverId)?.config.trusted === true;
  }

  /** The configured working folder of a local server; undefined if none is configured, and for remote servers. */
  workingFolderOf(serverId: string): string | undefined {
    const transport = this.#servers.find(serverId)?.config.transport;
    return transport?.type === 'stdio' ? transport.cwd : undefined;
  }

  /**
   * Stands for all that a server says of a tool now, and for where the server is: it changes when any of it does.
   * Undefined where the tool is not offered.
   */
  definitionOf(tool: ToolReference): string | undefined {
    return this.#calls.definitionOf(tool);
  }

  /**
   * Pins a tool as it is offered now, or as it was when it had this {@link McpHost.definitionOf}: from here on it is
   * called only as long as it stays that.
   *
   * @throws ToolyardError `not_found` if it is not offered, and no definition is given
   */
  approveTool({ serverId, name }: ToolReference, definition?: string): void {
    const entry = this.#servers.get(serverId);
    const tool = entry.tools.get(name);
    if (tool !== undefined) return this.#trust.approve(entry.config, tool, definition);
    if (definition !== undefined) return this.#trust.approveUnseen({ serverId, name }, definition);
    throw new ToolyardError({ code: 'not_found', message: `The server "${serverId}" offers no tool "${name}".` });
  }

  /** The skills a server offers; none of their files is fetched. @throws ToolyardError */
  skills(
    serverId: string,
    options: McpRequestOptions = {},
  ): Promise<{ skills: ListedSkill[]; skipped: SkippedItem[] }> {
    return this.#calls.ask(serverId, options, (session) => session.listSkills(options));
  }

  /**
   * A file of a skill, by default its `SKILL.md`. It is checked against what the server lists of it.
   *
   * @throws ToolyardError `bad_response` for one that is something else: nothing of that skill is to be used
   */
  readSkill(serverId: string, uri: string, path?: string, options: McpRequestOptions = {}): Promise<SkillFile> {
    return this.#calls.ask(serverId, options, (session) => session.readSkill(uri, path, options));
  }

  /**
   * Finds out where a person signs in to a server. They come back to `redirectUrl`, and what they bring is for
   * {@link McpHost.finishSignIn}, of this host or of any other over the same store. @throws ToolyardError
   */
  async signIn(serverId: string, { redirectUrl }: { redirectUrl: string }): Promise<StartedSignIn> {
    this.#flows.refuseWhenClosed();
    return this.#signIns.begin(this.#servers.get(serverId).config.id, redirectUrl);
  }

  /**
   * Takes what a person has brought back, once, and connects the server in the background; gives its id.
   *
   * @throws ToolyardError `not_found` for a `state` that is not one of ours; `server_refused` where nobody is signed in
   */
  async finishSignIn(response: SignInResponse): Promise<string> {
    this.#flows.refuseWhenClosed();
    return this.#signIns.finish(response);
  }

  /**
   * Connects those that wait for a sign-in, and were signed in to in another process over the same store.
   *
   * @throws ToolyardError where the store cannot be read: nobody says a second time that somebody has signed in
   */
  async lookForSignIns(): Promise<void> {
    const waiting = this.health().filter(({ state }) => state === 'needs_sign_in');
    await Promise.all(waiting.map(({ id }) => this.#signIns.look(id)));
  }

  /** Forgets the tokens of a server, and leaves it. @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    const entry = this.#servers.get(serverId);
    await this.#signIns.signOut(serverId);
    await entry.disconnect();
  }

  /** Fills in a prompt. @throws ToolyardError */
  getPrompt(
    serverId: string,
    name: string,
    args: Record<string, string> = {},
    options: McpRequestOptions = {},
  ): Promise<FilledPrompt> {
    return this.#calls.ask(serverId, options, (session) => session.getPrompt(name, args, options));
  }

  /** The prompts of all ready servers, asked in parallel: one that fails hides no other. */
  async getAllPrompts(): Promise<AllPrompts> {
    return listAllPrompts(this.connectedServers, (id) => this.#calls.ask(id, {}, (session) => session.listPrompts()));
  }

  /** What a server has listed: while it is reconnecting, its tools only. */
  offered(serverId: string): ListedOffers {
    const entry = this.#servers.find(serverId);
    const { resources = [], templates = [], prompts = [] } = entry?.catalogue ?? {};
    return { tools: [...(entry?.tools.values() ?? [])], resources, templates, prompts };
  }

  /** A server as it can be offered to others; one that is reconnecting is waited for. @throws ToolyardError */
  forwarded(serverId: string, signal?: AbortSignal): Promise<ForwardedServer> {
    return this.#calls.forwarded(serverId, signal);
  }

  /**
   * What an argument of a prompt or a template may become; `others` are the arguments that are filled in already.
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

  #viewOf(chosen: (id: string) => boolean, hidden: (tool: ToolReference) => boolean): SelectedTools {
    return new SelectedTools({
      origin: this.#origin,
      sources: () => this.#servers.all.filter(({ config }) => chosen(config.id)),
      hidden: (tool) => hidden(tool) || isSwitchedOff(this.#servers.find(tool.serverId)?.config, tool.name),
    });
  }
}
