import type { McpHost } from '@toolyard/mcp-host';
import { redactedError, testCall } from '@toolyard/mcp-host';
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
  McpTaskList,
  McpTemplateView,
  McpTestedCall,
  Owner,
  ReadMcpResource,
  ToolResult,
} from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { ResourceFollows } from './resource-follows.ts';
import type { ListedSkills, SkillFileOf } from '../services.ts';
import { truncateContents, truncateMessages, truncateResult, truncateTest } from './truncate.ts';
import { logPage } from './server-log-page.ts';

/** How long to wait for a list that is still loading, in milliseconds. */
const PATIENCE_MS = 5_000;

export type ServerRequestsOptions = {
  host: McpHost;
  clock: Pick<Clock, 'monotonic'>;
  /** Subscriptions of clients. */
  follows: ResourceFollows;
  ids: () => readonly string[];
  /** Redacts the secrets of a server's configuration in a text. */
  redactor(id: string): (text: string) => string;
  /** Connects a server if needed and waits for it, up to a limit. @throws ToolyardError if it does not exist */
  ready(id: string, signal?: AbortSignal): Promise<void>;
  /** Called before and after every request to a server. */
  use(id: string, calls: -1 | 1): void;
};

/** Requests of users and programs to servers, without a model. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  log(id: string, after: string | undefined, redact: (text: string) => string): McpLogPage {
    const { host } = this.#options;
    return logPage(host.log(id), host.wireLog(id), after, redact);
  }

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

  async tasks(id: string): Promise<McpTaskList> {
    return { items: await this.#with(id, undefined, (host) => host.tasks(id)) };
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

  async resources(id: string): Promise<McpResourceView[]> {
    const listed = await this.#listed(id, (host) => host.resources.resources(id));
    return listed.map(({ icons: _icons, ...resource }) => resource);
  }

  async templates(id: string): Promise<McpTemplateView[]> {
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
    const order = this.#options.ids();
    const items = prompts
      .map(({ icons: _icons, ...prompt }) => prompt)
      .sort((one, other) => order.indexOf(one.serverId) - order.indexOf(other.serverId));
    const publicFailures = failures.map((failure) => ({
      ...failure,
      error: redactedError(failure.error, this.#options.redactor(failure.serverId)),
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
      await host.whenListed(id, undefined, PATIENCE_MS);
      const health = host.health().find((each) => each.id === id);
      if (health?.error !== undefined && health.state !== 'ready') throw new ToolyardError(health.error);
      return look(host);
    });
  }

  async #with<T>(id: string, signal: AbortSignal | undefined, ask: (host: McpHost) => Promise<T>): Promise<T> {
    const { host } = this.#options;
    await this.#options.ready(id, signal);
    this.#options.use(id, 1);
    try {
      return await ask(host);
    } catch (thrown) {
      // Messages of a server may repeat secrets of its configuration.
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(redactedError(thrown.toJSON(), this.#options.redactor(id)), { cause: thrown });
    } finally {
      this.#options.use(id, -1);
    }
  }
}
