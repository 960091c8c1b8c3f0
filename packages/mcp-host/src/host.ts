import type { Clock, ErrorInfo, JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { listAllPrompts } from './all-prompts.ts';
import { askServer, callServer, followServerTask } from './ask-server.ts';
import { notSent } from './call-failure.ts';
import { createEraMemory } from './era-memory.ts';
import { Flows } from './flows.ts';
import type { ForwardedServer } from './forward.ts';
import type { AllPrompts, McpHostOptions, Offered } from './host-options.ts';
import type { SignInResponse, StartedSignIn } from './oauth/sign-in.ts';
import { SignIns } from './oauth/sign-ins.ts';
import { ResourceStore } from './resource-store.ts';
import { isSwitchedOff, SelectedTools } from './selected-tools.ts';
import type { NumberedEntry } from './server-log.ts';
import { makePlace } from './server-place.ts';
import { isListed, ServerSet } from './server-set.ts';
import type { ServerSlot } from './server-slot.ts';
import type { Session } from './session.ts';
import type { ListedSkill, SkillFile } from './skills.ts';
import { unreachableTask } from './tasks/task-result.ts';
import { changedSince, definitionHash, ToolTrust } from './trust.ts';
import type {
  CallToolOptions,
  Completion,
  CompletionTarget,
  FilledPrompt,
  IndexedTool,
  LogLevel,
  RequestOptions,
  ServerConfig,
  ServerHealth,
  SetAside,
  ToolHost,
} from './types.ts';
import type { WireEntry } from './wire-log.ts';

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;
/** How long shutting down waits for what is under way to end by itself, in milliseconds. */
const SHUTDOWN_MS = 10_000;
/** How long whoever needs a server that is reconnecting waits for it, in milliseconds. */
const PATIENCE_MS = 10_000;

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
export class McpHost implements ToolHost {
  readonly #clock: Clock;
  readonly #servers: ServerSet;
  readonly #flows: Flows;
  readonly #all: SelectedTools;
  /** What is listed of resources, what was read of them, and who follows them. */
  readonly resources: ResourceStore;
  readonly #trust: ToolTrust;
  readonly #signIns: SignIns;
  #logLevel: LogLevel | undefined;
  #isRefusing = false;
  #closing: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    this.#clock = options.clock;
    const eraMemory = options.eraMemory ?? createEraMemory();
    this.#logLevel = options.logLevel;
    this.#servers = new ServerSet(options.clock, (config, after) =>
      makePlace(config, after, {
        options,
        eraMemory,
        signIns: this.#signIns,
        resources: () => this.resources,
        logLevel: () => this.#logLevel,
        onChange: (slot) => this.#changed(slot),
      }),
    );
    this.#flows = new Flows(options.clock);
    this.#trust = new ToolTrust(options.pins ?? new Map());
    this.#signIns = new SignIns(options);
    this.resources = new ResourceStore({
      clock: options.clock,
      catalogue: (id) => this.#servers.find(id)?.catalogue,
      read: (id, uri, more) => this.#ask(id, more, (session) => session.readResource(uri, more)),
      follow: async (id, wanted, added, removed) => this.#servers.find(id)?.session?.follow(wanted, added, removed),
    });
    for (const config of options.servers) this.#servers.add(config);
    this.#all = this.#selectWhere(() => true);
  }

  /** Requests being made right now, and flows that were acquired. */
  get activeFlows(): number {
    return this.#flows.active;
  }

  /** True while a server is connecting for the first time. */
  get isInitializing(): boolean {
    return this.#servers.all.some(({ stage }) => stage === 'connecting');
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
    if (this.#isRefusing) return;
    await Promise.allSettled(
      this.#servers.all.filter(({ stage }) => stage !== 'disabled').map((slot) => slot.connect()),
    );
  }

  /** Takes one more server, which is not connected yet. @throws ToolyardError `bad_config` for its id. */
  add(config: ServerConfig): void {
    this.#refuseWhenClosed();
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
    this.#refuseWhenClosed();
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
    this.#refuseWhenClosed();
    await this.#servers.get(id).connect();
  }

  /** Leaves one server: its calls are stopped, its process or session ended. It can be connected again. */
  async disconnect(id: string): Promise<void> {
    await this.#servers.get(id).disconnect();
  }

  /** Leaves one server and connects it anew. @throws as {@link McpHost.connect} does. */
  async reconnect(id: string): Promise<void> {
    this.#refuseWhenClosed();
    const slot = this.#servers.get(id);
    void slot.disconnect();
    await slot.connect();
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
    return this.#servers.all.map((slot) => slot.health());
  }

  /** What happened with a server, oldest first; bounded. */
  log(id: string): NumberedEntry[] {
    return this.#servers.log(id);
  }

  /** The last messages exchanged with a server, oldest first, cut and without secrets. */
  wireLog(id: string): WireEntry[] {
    return this.#servers.wireLog(id);
  }

  /** Calls back after anything in health or offer of a server has changed; returns what ends that. */
  onChange(listener: (serverId: string) => void): () => void {
    return this.#servers.onChange(listener);
  }

  tools(): readonly IndexedTool[] {
    return this.#all.tools();
  }

  resolve(name: string): IndexedTool | undefined {
    return this.#all.resolve(name);
  }

  /**
   * A view of some servers, but for hidden tools; whatever else is called is not sent. It follows their changes, and
   * may be asked at every turn. A server added later belongs to it if its id does.
   */
  select(serverIds: ReadonlySet<string>, hidden?: (tool: ToolReference) => boolean): ToolHost {
    return this.#selectWhere((id) => serverIds.has(id), hidden);
  }

  async callTool(tool: ToolReference, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    if (this.#isRefusing) return notSent({ code: 'server_closed', message: 'Toolyard is shutting down.' });
    const slot = this.#servers.find(tool.serverId);
    if (slot === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    if (isSwitchedOff(slot.config, tool.name)) {
      const message = `The tool "${tool.name}" of "${tool.serverId}" is switched off.`;
      return notSent({ code: 'tool_not_found', message });
    }
    // A change that was announced and not looked at may have put another tool into the place of an approved one.
    const isApproved = options.definition !== undefined || this.#trust.verdict(tool) === 'approved';
    const known = isApproved ? slot.session?.whenToolsAreKnown() : undefined;
    if (known) await known;
    if (this.#hasChanged(tool, options.definition)) return notSent(changedSince(tool));
    const release = this.#flows.acquire();
    try {
      return await callServer(slot, this.#whenBack(slot, options.signal), tool, args, options);
    } finally {
      release();
    }
  }

  async resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    if (this.#isRefusing) return unreachableTask(handle, 'Toolyard is shutting down.');
    const { serverId } = handle.tool;
    const slot = this.#servers.find(serverId);
    if (slot === undefined) return unreachableTask(handle, `there is no server "${serverId}".`);
    const release = this.#flows.acquire();
    try {
      return await followServerTask(slot, this.#whenBack(slot, options.signal), handle, options);
    } finally {
      release();
    }
  }

  /** What was approved of tools, and whether it still holds. A tool whose approval is void is not called. */
  get trust(): Pick<ToolTrust, 'verdict' | 'voided' | 'onVoided' | 'changeOf' | 'reviewAgain'> {
    return this.#trust;
  }

  /** True where the owner believes what a server says of its tools. */
  isTrusted(serverId: string): boolean {
    return this.#servers.find(serverId)?.config.trusted === true;
  }

  /**
   * Stands for all that a server says of a tool now, and for where the server is: it changes when any of it does.
   * Undefined where the tool is not offered.
   */
  definitionOf({ serverId, name }: ToolReference): string | undefined {
    const slot = this.#servers.find(serverId);
    const tool = slot?.tools.get(name);
    return slot === undefined || tool === undefined ? undefined : definitionHash(slot.config, tool);
  }

  /**
   * Pins a tool as it is offered now, or as it was when it had this {@link McpHost.definitionOf}: from here on it is
   * called only as long as it stays that.
   *
   * @throws ToolyardError `not_found` if it is not offered, and no definition is given
   */
  approveTool({ serverId, name }: ToolReference, definition?: string): void {
    const slot = this.#servers.get(serverId);
    const tool = slot.tools.get(name);
    if (tool !== undefined) return this.#trust.approve(slot.config, tool, definition);
    if (definition !== undefined) return this.#trust.approveUnseen({ serverId, name }, definition);
    throw new ToolyardError({ code: 'not_found', message: `The server "${serverId}" offers no tool "${name}".` });
  }

  /** The skills a server offers; none of their files is fetched. @throws ToolyardError */
  skills(serverId: string, options: RequestOptions = {}): Promise<{ skills: ListedSkill[]; skipped: SetAside[] }> {
    return this.#ask(serverId, options, (session) => session.listSkills(options));
  }

  /**
   * A file of a skill, by default its `SKILL.md`. It is checked against what the server lists of it.
   *
   * @throws ToolyardError `bad_response` for one that is something else: nothing of that skill is to be used
   */
  readSkill(serverId: string, uri: string, path?: string, options: RequestOptions = {}): Promise<SkillFile> {
    return this.#ask(serverId, options, (session) => session.readSkill(uri, path, options));
  }

  /**
   * Finds out where a person signs in to a server. They come back to `redirectUrl`, and what they bring is for
   * {@link McpHost.finishSignIn}, of this host or of any other over the same store. @throws ToolyardError
   */
  async signIn(serverId: string, { redirectUrl }: { redirectUrl: string }): Promise<StartedSignIn> {
    this.#refuseWhenClosed();
    return this.#signIns.begin(this.#servers.get(serverId).config.id, redirectUrl);
  }

  /**
   * Takes what a person has brought back, once, and connects the server in the background; gives its id.
   *
   * @throws ToolyardError `not_found` for a `state` that is not one of ours; `server_refused` where nobody is signed in
   */
  async finishSignIn(response: SignInResponse): Promise<string> {
    this.#refuseWhenClosed();
    return this.#signIns.finish(response);
  }

  /** Connects those that wait for a sign-in, and were signed in to in another process over the same store. */
  async lookForSignIns(): Promise<void> {
    const waiting = this.health().filter(({ state }) => state === 'needs_sign_in');
    // A store that cannot be read just now is read when the server is connected next.
    await Promise.all(waiting.map(({ id }) => this.#signIns.look(id).catch(() => undefined)));
  }

  /** Forgets the tokens of a server, and leaves it. @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    const slot = this.#servers.get(serverId);
    await this.#signIns.signOut(serverId);
    await slot.disconnect();
  }

  /** Fills in a prompt. @throws ToolyardError */
  getPrompt(
    serverId: string,
    name: string,
    args: Record<string, string> = {},
    options: RequestOptions = {},
  ): Promise<FilledPrompt> {
    return this.#ask(serverId, options, (session) => session.getPrompt(name, args, options));
  }

  /** The prompts of all ready servers, asked in parallel: one that fails hides no other. */
  async getAllPrompts(): Promise<AllPrompts> {
    return listAllPrompts(this.connectedServers, (id) => this.#ask(id, {}, (session) => session.listPrompts()));
  }

  /** What a server has listed: while it is reconnecting, its tools only. */
  offered(serverId: string): Offered {
    const slot = this.#servers.find(serverId);
    const { resources = [], templates = [], prompts = [] } = slot?.catalogue ?? {};
    return { tools: [...(slot?.tools.values() ?? [])], resources, templates, prompts };
  }

  /** A server as it can be offered to others; one that is reconnecting is waited for. @throws ToolyardError */
  forwarded(serverId: string, signal?: AbortSignal): Promise<ForwardedServer> {
    return this.#ask(serverId, signal === undefined ? {} : { signal }, async (session) => session.forwarded());
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
    options: RequestOptions = {},
  ): Promise<Completion> {
    return this.#ask(serverId, options, (session) => session.complete(target, argument, others, options));
  }

  /** From which level on all servers are to log what they do. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    await Promise.all(this.#servers.all.map(async (slot) => slot.session?.setLogLevel(level)));
  }

  /** Tells servers that the folders the handler for roots gives are others now. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#servers.all.map(async (slot) => slot.session?.rootsChanged()));
  }

  /**
   * Begins something that {@link McpHost.shutdown} waits for; what is returned ends it and may be called twice.
   *
   * @throws ToolyardError `server_closed` when shutting down has begun
   */
  acquire(): () => void {
    this.#refuseWhenClosed();
    return this.#flows.acquire();
  }

  /** Begins nothing new, waits (bounded) for what is under way to end by itself, then closes. */
  async shutdown(waitMs = SHUTDOWN_MS): Promise<void> {
    this.#isRefusing = true;
    await this.#flows.whenIdle(waitMs);
    await this.close();
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#isRefusing = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const slot of this.#servers.all) slot.abortCalls();
    await this.#flows.whenIdle(FAREWELL_MS);
    await this.#servers.close();
    this.resources.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Asks a server for something that may be asked for twice. */
  async #ask<T>(id: string, options: RequestOptions, ask: (session: Session) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    const slot = this.#servers.get(id);
    const release = this.#flows.acquire();
    try {
      return await askServer(slot, this.#whenBack(slot, options.signal), ask);
    } finally {
      release();
    }
  }

  /** Held against what a person has approved just now, else against what was approved for good. */
  #hasChanged(tool: ToolReference, approved: string | undefined): boolean {
    const now = approved === undefined ? undefined : this.definitionOf(tool);
    return now === undefined ? this.#trust.verdict(tool) === 'voided' : now !== approved;
  }

  #whenBack(slot: ServerSlot, signal: AbortSignal | undefined): () => Promise<void> {
    return () => this.#servers.whenSettled([slot.config.id], signal, PATIENCE_MS);
  }

  #changed(slot: ServerSlot): void {
    if (slot.stage === 'ready') this.#trust.review(slot.config, slot.tools);
    this.#servers.tell(slot.config.id);
  }

  #selectWhere(chosen: (id: string) => boolean, hidden?: (tool: ToolReference) => boolean): SelectedTools {
    return new SelectedTools({
      sources: () => this.#servers.all.filter(({ config }) => chosen(config.id)),
      hidden: (tool) => hidden?.(tool) === true || isSwitchedOff(this.#servers.find(tool.serverId)?.config, tool.name),
      callTool: (tool, args, options) => this.callTool(tool, args, options),
      resumeTask: (handle, options) => this.resumeTask(handle, options),
    });
  }

  #refuseWhenClosed(): void {
    if (!this.#isRefusing) return;
    throw new ToolyardError({ code: 'server_closed', message: 'Toolyard is shutting down.' });
  }
}
