import type { JsonObject, TaskHandle, ToolOrigin, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { listAllPrompts } from './all-prompts.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { AllPrompts, McpHostOptions, Offered } from './host-options.ts';
import { HostParts } from './host-parts.ts';
import { HostServers } from './host-servers.ts';
import type { SignInResponse, StartedSignIn } from '../oauth/sign-in.ts';
import type { ResourceStore } from '../catalogue/resource-store.ts';
import { isSwitchedOff, SelectedTools } from './selected-tools.ts';
import type { ListedSkill, SkillFile } from '../catalogue/skills.ts';
import type { ToolTrust } from '../catalogue/trust.ts';
import type {
  CallToolOptions,
  Completion,
  CompletionTarget,
  FilledPrompt,
  IndexedTool,
  RequestOptions,
  SetAside,
  ToolHost,
} from '../types.ts';

/**
 * Connects to MCP servers and keeps them connected, keeps what they offer in one index, and asks them for things. One
 * server's trouble is never another's: it shows in that server's health and nowhere else. Connecting, health and the end
 * are {@link HostServers}; what follows here is what servers offer and are asked for.
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
export class McpHost extends HostServers implements ToolHost {
  readonly #parts: HostParts;
  readonly #all: SelectedTools;
  readonly #origin: ToolOrigin;

  constructor(options: McpHostOptions) {
    const parts = new HostParts(options);
    super(parts);
    this.#parts = parts;
    this.#origin = options.origin ?? 'server';
    this.#all = this.#selectWhere(() => true);
  }

  /** What is listed of resources, what was read of them, and who follows them. */
  get resources(): ResourceStore {
    return this.#parts.resources;
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

  callTool(tool: ToolReference, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    return this.#parts.calls.callTool(tool, args, options);
  }

  resumeTask(handle: TaskHandle, options: CallToolOptions = {}): Promise<ToolResult> {
    return this.#parts.calls.resumeTask(handle, options);
  }

  /** What was approved of tools, and whether it still holds. A tool whose approval is void is not called. */
  get trust(): Pick<ToolTrust, 'verdict' | 'voided' | 'onVoided' | 'changeOf' | 'reviewAgain'> {
    return this.#parts.trust;
  }

  /** True where the owner believes what a server says of its tools. */
  isTrusted(serverId: string): boolean {
    return this.#parts.servers.find(serverId)?.config.trusted === true;
  }

  /** The configured working folder of a local server; undefined if none is configured, and for remote servers. */
  workingFolderOf(serverId: string): string | undefined {
    const transport = this.#parts.servers.find(serverId)?.config.transport;
    return transport?.type === 'stdio' ? transport.cwd : undefined;
  }

  /**
   * Stands for all that a server says of a tool now, and for where the server is: it changes when any of it does.
   * Undefined where the tool is not offered.
   */
  definitionOf(tool: ToolReference): string | undefined {
    return this.#parts.calls.definitionOf(tool);
  }

  /**
   * Pins a tool as it is offered now, or as it was when it had this {@link McpHost.definitionOf}: from here on it is
   * called only as long as it stays that.
   *
   * @throws ToolyardError `not_found` if it is not offered, and no definition is given
   */
  approveTool({ serverId, name }: ToolReference, definition?: string): void {
    const slot = this.#parts.servers.get(serverId);
    const tool = slot.tools.get(name);
    if (tool !== undefined) return this.#parts.trust.approve(slot.config, tool, definition);
    if (definition !== undefined) return this.#parts.trust.approveUnseen({ serverId, name }, definition);
    throw new ToolyardError({ code: 'not_found', message: `The server "${serverId}" offers no tool "${name}".` });
  }

  /** The skills a server offers; none of their files is fetched. @throws ToolyardError */
  skills(serverId: string, options: RequestOptions = {}): Promise<{ skills: ListedSkill[]; skipped: SetAside[] }> {
    return this.#parts.calls.ask(serverId, options, (session) => session.listSkills(options));
  }

  /**
   * A file of a skill, by default its `SKILL.md`. It is checked against what the server lists of it.
   *
   * @throws ToolyardError `bad_response` for one that is something else: nothing of that skill is to be used
   */
  readSkill(serverId: string, uri: string, path?: string, options: RequestOptions = {}): Promise<SkillFile> {
    return this.#parts.calls.ask(serverId, options, (session) => session.readSkill(uri, path, options));
  }

  /**
   * Finds out where a person signs in to a server. They come back to `redirectUrl`, and what they bring is for
   * {@link McpHost.finishSignIn}, of this host or of any other over the same store. @throws ToolyardError
   */
  async signIn(serverId: string, { redirectUrl }: { redirectUrl: string }): Promise<StartedSignIn> {
    this.#parts.flows.refuseWhenClosed();
    return this.#parts.signIns.begin(this.#parts.servers.get(serverId).config.id, redirectUrl);
  }

  /**
   * Takes what a person has brought back, once, and connects the server in the background; gives its id.
   *
   * @throws ToolyardError `not_found` for a `state` that is not one of ours; `server_refused` where nobody is signed in
   */
  async finishSignIn(response: SignInResponse): Promise<string> {
    this.#parts.flows.refuseWhenClosed();
    return this.#parts.signIns.finish(response);
  }

  /**
   * Connects those that wait for a sign-in, and were signed in to in another process over the same store.
   *
   * @throws ToolyardError where the store cannot be read: nobody says a second time that somebody has signed in
   */
  async lookForSignIns(): Promise<void> {
    const waiting = this.health().filter(({ state }) => state === 'needs_sign_in');
    await Promise.all(waiting.map(({ id }) => this.#parts.signIns.look(id)));
  }

  /** Forgets the tokens of a server, and leaves it. @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    const slot = this.#parts.servers.get(serverId);
    await this.#parts.signIns.signOut(serverId);
    await slot.disconnect();
  }

  /** Fills in a prompt. @throws ToolyardError */
  getPrompt(
    serverId: string,
    name: string,
    args: Record<string, string> = {},
    options: RequestOptions = {},
  ): Promise<FilledPrompt> {
    return this.#parts.calls.ask(serverId, options, (session) => session.getPrompt(name, args, options));
  }

  /** The prompts of all ready servers, asked in parallel: one that fails hides no other. */
  async getAllPrompts(): Promise<AllPrompts> {
    return listAllPrompts(this.connectedServers, (id) =>
      this.#parts.calls.ask(id, {}, (session) => session.listPrompts()),
    );
  }

  /** What a server has listed: while it is reconnecting, its tools only. */
  offered(serverId: string): Offered {
    const slot = this.#parts.servers.find(serverId);
    const { resources = [], templates = [], prompts = [] } = slot?.catalogue ?? {};
    return { tools: [...(slot?.tools.values() ?? [])], resources, templates, prompts };
  }

  /** A server as it can be offered to others; one that is reconnecting is waited for. @throws ToolyardError */
  forwarded(serverId: string, signal?: AbortSignal): Promise<ForwardedServer> {
    return this.#parts.calls.forwarded(serverId, signal);
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
    return this.#parts.calls.ask(serverId, options, (session) => session.complete(target, argument, others, options));
  }

  #selectWhere(chosen: (id: string) => boolean, hidden?: (tool: ToolReference) => boolean): SelectedTools {
    return new SelectedTools({
      origin: this.#origin,
      sources: () => this.#parts.servers.all.filter(({ config }) => chosen(config.id)),
      hidden: (tool) =>
        hidden?.(tool) === true || isSwitchedOff(this.#parts.servers.find(tool.serverId)?.config, tool.name),
      callTool: (tool, args, options) => this.callTool(tool, args, options),
      resumeTask: (handle, options) => this.resumeTask(handle, options),
    });
  }
}
