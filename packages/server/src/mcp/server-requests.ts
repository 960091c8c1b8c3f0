import type { InspectOptions, McpHost, ServerHealth, SignInResponse } from '@toolyard/mcp-host';
import { inspectServer, redactedError, testCall } from '@toolyard/mcp-host';
import type {
  CallMcpTool,
  Clock,
  CompleteMcpArgument,
  GetMcpPrompt,
  McpAppDocument,
  McpCompletion,
  McpFilledPrompt,
  McpFollowedResources,
  McpLogPage,
  McpPromptList,
  McpResourceContents,
  McpResourceView,
  McpServerIcon,
  McpServerView,
  McpSignInStarted,
  McpTaskList,
  McpTemplateView,
  McpTestedCall,
  McpTestReport,
  McpToolDetail,
  Owner,
  ReadMcpResource,
  TestMcpServer,
  ToolResult,
} from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { ListedSkills, ServerLists, SkillFileOf } from '../services.ts';
import type { EditableServers } from './editable-servers.ts';
import { NO_USER_HANDLERS } from './no-user-handlers.ts';
import { readServerIcon } from './read-icon.ts';
import type { ServerConnections } from './server-connections.ts';
import { PATIENCE_MS } from './server-connections.ts';
import type { ResourceFollows } from './resource-follows.ts';
import { truncateContents, truncateMessages, truncateResult, truncateTest } from './truncate.ts';
import { logPage } from './server-log-page.ts';

/** How long to wait for a list that is still loading, in milliseconds. */
const LIST_WAIT_MS = 5_000;

export type ServerRequestsOptions = {
  host: McpHost;
  clock: Clock;
  editable: EditableServers;
  connections: ServerConnections;
  /** Subscriptions of clients. */
  follows: ResourceFollows;
  /** For connections of tests. */
  inspect: Pick<InspectOptions, 'createTransport' | 'clientInfo' | 'signIn'>;
};

/** Requests of users and programs to servers, without a model, in the process that has the connections. */
export class ServerRequests implements ServerLists {
  readonly #options: ServerRequestsOptions;
  /** Health of servers that are being tested. */
  readonly #tests = new Set<() => readonly ServerHealth[]>();

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Never throws for errors of the server. */
  async test(principal: Owner, request: TestMcpServer, signal?: AbortSignal): Promise<McpTestReport> {
    const { clock, editable, inspect } = this.#options;
    const config = editable.toTestConfig(principal, request);
    // Some servers offer more tools to clients that support elicitation; advertise the same capabilities as in use.
    return inspectServer({
      ...inspect,
      clock,
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

  /** The download of a server during a test. */
  launchOfTest(id: string): ServerHealth['launch'] {
    return [...this.#tests].flatMap((test) => test()).find((health) => health.id === id && health.launch)?.launch;
  }

  async reconnect(principal: Owner, id: string): Promise<McpServerView> {
    const { editable, host } = this.#options;
    editable.check(principal, id);
    editable.configOf(id);
    if (!editable.serverList.isEnabled(id)) {
      throw new ToolyardError({
        code: 'conflict',
        message: `The server "${id}" is disabled.`,
        hint: 'Enable it first; it then connects by itself.',
      });
    }
    // The view shows errors.
    host.reconnect(id).catch(() => undefined);
    await host.whenSettled([id], undefined, PATIENCE_MS);
    return editable.view(principal, id);
  }

  /** The URL of the sign-in page; the authorization server redirects the user to `redirectUrl`. */
  async signIn(principal: Owner, id: string, redirectUrl: string): Promise<McpSignInStarted> {
    const { editable, host } = this.#options;
    editable.check(principal, id);
    editable.configOf(id);
    const { authorizationUrl, issuer } = await host.signIn(id, { redirectUrl });
    return { url: authorizationUrl, issuer };
  }

  /**
   * Finishes the sign-in that the `state` of the redirect identifies; the state authenticates the caller. Returns the
   * server id.
   */
  finishSignIn(response: SignInResponse): Promise<string> {
    return this.#options.host.finishSignIn(response);
  }

  async signOut(principal: Owner, id: string): Promise<McpServerView> {
    const { connections, editable, host } = this.#options;
    editable.check(principal, id);
    editable.configOf(id);
    await host.signOut(id);
    if (editable.serverList.isEnabled(id)) {
      connections.connect(id);
      await host.whenSettled([id], undefined, PATIENCE_MS);
    }
    return editable.view(principal, id);
  }

  async log(principal: Owner, id: string, after?: string): Promise<McpLogPage> {
    const { editable, host } = this.#options;
    editable.check(principal, id);
    return logPage(host.log(id), host.wireLog(id), after, editable.redactor(id));
  }

  /** The icon that a server sent, checked; `not_found` without one. */
  async icon(principal: Owner, id: string, signal?: AbortSignal): Promise<McpServerIcon> {
    this.#options.editable.check(principal, id);
    const icon = this.#healthOf(id)?.icon;
    if (icon === undefined) throw new ToolyardError({ code: 'not_found', message: `"${id}" sent no icon.` });
    return readServerIcon(icon, signal);
  }

  async tools(principal: Owner, id: string): Promise<McpToolDetail[]> {
    const { editable } = this.#options;
    await this.#ready(id);
    const { state, error } = this.#healthOf(id) ?? {};
    if (error !== undefined && state !== 'ready' && state !== 'reconnecting') {
      throw new ToolyardError(redactedError(error, editable.redactor(id)));
    }
    return editable.toolDetails(principal, id);
  }

  /** Never throws for errors of the server or the tool. */
  async call(
    { ownerId: principal }: Owner,
    id: string,
    { tool, arguments: args = {} }: CallMcpTool,
    signal?: AbortSignal,
  ): Promise<ToolResult> {
    const options = { caller: { principal }, ...defined({ signal }) };
    const result = await this.#with(id, signal, (host) => host.callTool({ serverId: id, name: tool }, args, options));
    return truncateResult(result);
  }

  async testTool(
    { ownerId: principal }: Owner,
    id: string,
    { tool, arguments: args = {} }: CallMcpTool,
    signal?: AbortSignal,
  ): Promise<McpTestedCall> {
    const options = { caller: { principal }, ...defined({ signal }) };
    const call = { tool: { serverId: id, name: tool }, args, options };
    return truncateTest(await this.#with(id, signal, (host) => testCall(host, this.#options.clock, call)));
  }

  async tasks(id: string, signal?: AbortSignal): Promise<McpTaskList> {
    return { items: await this.#with(id, signal, (host) => host.tasks(id, defined({ signal }))) };
  }

  async taskResult(id: string, taskId: string, signal?: AbortSignal): Promise<ToolResult> {
    const options = signal === undefined ? {} : { signal };
    return truncateResult(await this.#with(id, signal, (host) => host.taskResult(id, taskId, options)));
  }

  async cancelTask(id: string, taskId: string): Promise<McpTaskList> {
    await this.#with(id, undefined, (host) => host.cancelTask(id, taskId));
    return this.tasks(id);
  }

  followResources(id: string, uris: readonly string[]): Promise<McpFollowedResources> {
    return this.#with(id, undefined, () => this.#options.follows.follow(id, uris));
  }

  async resources(_principal: Owner, id: string): Promise<McpResourceView[]> {
    const listed = await this.#listed(id, (host) => host.resources.resources(id));
    return listed.map(({ icons: _icons, ...resource }) => resource);
  }

  async templates(_principal: Owner, id: string): Promise<McpTemplateView[]> {
    const listed = await this.#listed(id, (host) => host.resources.templates(id));
    return listed.map(({ icons: _icons, ...template }) => template);
  }

  async read(id: string, { uri, fresh }: ReadMcpResource, signal?: AbortSignal): Promise<McpResourceContents> {
    const options = defined({ fresh, signal });
    const contents = await this.#with(id, signal, (host) => host.resources.read(id, uri, options));
    return { contents: truncateContents(contents) };
  }

  skills(id: string, signal?: AbortSignal): Promise<ListedSkills> {
    return this.#with(id, signal, (host) => host.skills(id, defined({ signal })));
  }

  async skillFile(id: string, { uri, path }: SkillFileOf, signal?: AbortSignal): Promise<string> {
    const { bytes } = await this.#with(id, signal, (host) => host.readSkill(id, uri, path, defined({ signal })));
    return Buffer.from(bytes).toString('base64');
  }

  async app(id: string, uri: string, signal?: AbortSignal): Promise<McpAppDocument> {
    return this.#with(id, signal, (host) => host.readApp(id, uri, defined({ signal })));
  }

  /** Prompts of connected servers only; waits for no other. */
  async prompts(): Promise<McpPromptList> {
    const { prompts, failures } = await this.#options.host.getAllPrompts();
    const { ids: order } = this.#options.editable.serverList;
    const items = prompts
      .map(({ icons: _icons, ...prompt }) => prompt)
      .sort((one, other) => order.indexOf(one.serverId) - order.indexOf(other.serverId));
    const publicFailures = failures.map((failure) => ({
      ...failure,
      error: redactedError(failure.error, this.#options.editable.redactor(failure.serverId)),
    }));
    return { items, failures: publicFailures };
  }

  async getPrompt(id: string, prompt: GetMcpPrompt, signal?: AbortSignal): Promise<McpFilledPrompt> {
    const options = signal === undefined ? {} : { signal };
    const { messages, ...rest } = await this.#with(id, signal, (host) =>
      host.getPrompt(id, prompt.name, prompt.arguments ?? {}, options),
    );
    return { ...rest, messages: truncateMessages(messages) };
  }

  complete(
    id: string,
    { target, argument, filledArguments = {} }: CompleteMcpArgument,
    signal?: AbortSignal,
  ): Promise<McpCompletion> {
    const options = signal === undefined ? {} : { signal };
    return this.#with(id, signal, (host) => host.complete(id, target, argument, filledArguments, options));
  }

  /** A list of a ready server. @throws ToolyardError with the reason if it is not ready */
  async #listed<T>(id: string, look: (host: McpHost) => readonly T[]): Promise<readonly T[]> {
    return this.#with(id, undefined, async (host) => {
      await host.whenListed(id, undefined, LIST_WAIT_MS);
      const health = this.#healthOf(id);
      if (health?.error !== undefined && health.state !== 'ready') throw new ToolyardError(health.error);
      return look(host);
    });
  }

  async #with<T>(id: string, signal: AbortSignal | undefined, ask: (host: McpHost) => Promise<T>): Promise<T> {
    const { connections, editable, host } = this.#options;
    await this.#ready(id, signal);
    connections.use(id, 1);
    try {
      return await ask(host);
    } catch (thrown) {
      // Messages of a server may repeat secrets of its configuration.
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(redactedError(thrown.toJSON(), editable.redactor(id)), { cause: thrown });
    } finally {
      connections.use(id, -1);
    }
  }

  async #ready(id: string, signal?: AbortSignal): Promise<void> {
    this.#options.editable.configOf(id);
    await this.#options.connections.ready(id, signal);
  }

  #healthOf(id: string): ServerHealth | undefined {
    return this.#options.host.health().find((each) => each.id === id);
  }
}
