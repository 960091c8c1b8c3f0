import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type {
  Clock,
  ErrorInfo,
  JsonObject,
  McpAppDocument,
  McpTaskView,
  ResourcePart,
  TaskHandle,
  ToolResult,
} from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { readApp } from '../apps/read-app.ts';
import { notSent } from '../calls/call-failure.ts';
import { explainCall, finishTask, readCall } from '../calls/call-tool.ts';
import { TASK_META } from '../tasks/read-task.ts';
import type { CancelledCalls } from '../calls/cancelled-calls.ts';
import type { OfferCatalogue } from '../catalogue/catalogue.ts';
import type { ChangeWatch } from './change-watch.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import { forward, NOT_ACCEPTED } from '../calls/forward.ts';
import type { SessionRoots } from '../server-requests/session-roots.ts';
import type { ServerRequestRouter } from '../server-requests/server-request-router.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { RawReply } from '../transports/raw-result-transport.ts';
import { withCaller } from '../calls/relay-meta.ts';
import { readCompletion, readContents, readFilledPrompt } from '../catalogue/read-contents.ts';
import type { OutgoingRequest } from '../calls/request.ts';
import { sendRequest } from '../calls/request.ts';
import { toRequestError } from '../calls/request-failure.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { logLevelMeta } from '../log/server-messages.ts';
import type { ListedSkill, SkillFile } from '../catalogue/skills.ts';
import { ServerSkills } from '../catalogue/skills.ts';
import type { KnownTask } from '../tasks/known-tasks.ts';
import { listTasks } from '../tasks/list-tasks.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { TaskWire } from '../tasks/task-wire.ts';
import type {
  CallToolOptions,
  Completion,
  CompletionTarget,
  Era,
  FilledPrompt,
  ListedPrompt,
  LogLevel,
  McpRequestOptions,
  ServerConfig,
  SkippedItem,
} from '../types.ts';
import type { OpenRequest, RequestContext } from '../calls/track-request.ts';
import { trackRequest } from '../calls/track-request.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** How long a call of an approved tool waits for a changed tool list, in milliseconds. */
const REFRESH_TIMEOUT_MS = 5_000;

export type SessionOptions = {
  config: ServerConfig;
  client: Client;
  era: Era;
  clock: Clock;
  handlers: ServerRequestHandlers;
  requestRouter: ServerRequestRouter;
  /** Undefined if the server gets no roots of conversations. */
  roots: SessionRoots | undefined;
  /** The requests in progress. */
  open: Set<OpenRequest>;
  /** Cancelled calls that the server has not answered. */
  cancelled: CancelledCalls;
  catalogue: OfferCatalogue;
  /** The tools that can be called, by the server's own names. */
  tools: () => ReadonlyMap<string, ListedTool>;
  watch: ChangeWatch;
  logLevel: LogLevel | undefined;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
  warn: (text: string) => void;
  /** True if the peer is another Toolyard process that is connected to the server; it gets the caller of each call. */
  relays: boolean;
  /** The JSON-RPC id of the request the SDK sent last. */
  lastRequestId: () => number | undefined;
  /** Sends a request the SDK does not know. */
  ask: (method: string, params: JsonObject, signal: AbortSignal) => Promise<RawReply>;
  /** Opens the task operations of the server. */
  openTask: (taskId: string) => Promise<TaskWire>;
  /** Why the connection accepts no more requests, once it does not. */
  whyLost: () => ErrorInfo | undefined;
  /** Called when a request failed in a way that may mean that the connection is lost. */
  onFailed: (thrown: unknown) => void;
};

/** The request timeout of this server. */
export function getTimeout(config: ServerConfig): number {
  return config.callTimeoutMs ?? DEFAULT_TIMEOUT_MS;
}

const noop = (): void => undefined;

/** An initialized connection: one method per request. */
export class McpSession {
  readonly #options: SessionOptions;
  readonly #id: string;
  readonly #context: RequestContext;
  #logLevel: LogLevel | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#id = options.config.id;
    this.#logLevel = options.logLevel;
    const { client, clock, open, cancelled, requestRouter } = options;
    this.#context = {
      client,
      clock,
      open,
      cancelled,
      lastRequestId: options.lastRequestId,
      relays: options.relays,
      answer: (input, request) => requestRouter.answerInRound(input, request),
      read: (input, request) => requestRouter.readInRound(input, request),
      checkRound: (count) => requestRouter.checkRound(count),
    };
  }

  get era(): Era {
    return this.#options.era;
  }

  /** True if another process is connected to the server; it then decides when calls are made. */
  get relays(): boolean {
    return this.#options.relays;
  }

  /** Makes one call; see {@link ToolHost.callTool} for its guarantees. */
  async call(name: string, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    const { config, tools, era, warn, whyLost, onFailed } = this.#options;
    const tool = tools().get(name);
    if (tool === undefined) {
      return notSent({ code: 'tool_not_found', message: say`The server "${this.#id}" has no tool "${name}".` });
    }
    const lost = whyLost();
    if (lost !== undefined) return notSent(lost);
    const { signal } = options;
    if (signal?.aborted === true) {
      return notSent({ code: 'cancelled', message: say`The call of ${name} was cancelled before it was made.` });
    }
    const reference = { serverId: this.#id, name };
    const timeoutMs = options.timeoutMs ?? getTimeout(config);
    const { openTask } = this.#options;
    const call = {
      context: this.#context,
      tool,
      reference,
      options,
      era,
      openTask,
      timeoutMs,
      whyLost,
      onFailed,
      warn,
    };
    const meta = this.#options.relays ? withCaller(this.#meta(), options.caller) : this.#meta();
    try {
      const raw = await sendRequest(this.#context, {
        method: 'tools/call',
        params: { name, arguments: args, ...(this.isWantedAsTask(name) ? TASK_META : {}), ...meta },
        options,
        timeoutMs,
        tool: reference,
        mirrored: this.#mirrorsHeaders && tool.hasHeaderParameters ? tool : undefined,
      });
      return await readCall(call, raw);
    } catch (thrown) {
      return explainCall(call, thrown);
    }
  }

  /** True if the transport sends arguments as headers for the tools that declare it. */
  get #mirrorsHeaders(): boolean {
    const { config, era } = this.#options;
    return (config.transport.type === 'http' || config.transport.type === 'hosted') && era === 'modern';
  }

  /** Waits for the task that a call became, in this session or an earlier one; see {@link ToolHost.resumeTask}. */
  async followTask(handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
    const { config, tools, era, openTask, warn, whyLost, onFailed } = this.#options;
    if (era !== handle.era) return unreachableTask(handle, 'its server now uses another era of MCP.');
    return finishTask(
      {
        context: this.#context,
        tool: tools().get(handle.tool.name),
        openTask,
        options,
        timeoutMs: options.timeoutMs ?? getTimeout(config),
        whyLost,
        onFailed,
        warn,
      },
      handle,
    );
  }

  /** The tasks of the server. @throws ToolyardError */
  async listTasks(known: readonly KnownTask[], options: McpRequestOptions = {}): Promise<McpTaskView[]> {
    const { client, era, ask, openTask } = this.#options;
    const isListed = era === 'legacy' && client.getServerCapabilities()?.tasks?.list !== undefined;
    return this.#aboutTasks('its tasks', options, (signal) =>
      listTasks({
        list: isListed ? (cursor) => ask('tasks/list', cursor === undefined ? {} : { cursor }, signal) : undefined,
        openTask,
        known,
        signal,
      }),
    );
  }

  /** Cancels a task; the call that waits for it ends with an unknown outcome. @throws ToolyardError */
  async cancelTask(taskId: string, options: McpRequestOptions = {}): Promise<void> {
    await this.#aboutTasks(taskId, options, async (signal) => (await this.#options.openTask(taskId)).cancel(signal));
  }

  async #aboutTasks<T>(
    subject: string,
    options: McpRequestOptions,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const lost = this.#options.whyLost();
    if (lost !== undefined) throw new ToolyardError(lost);
    const timeoutMs = options.timeoutMs ?? getTimeout(this.#options.config);
    try {
      return await trackRequest(this.#context, { options, timeoutMs, totalMs: timeoutMs }, (entry) =>
        ask(entry.signal),
      );
    } catch (thrown) {
      throw this.#createCallError(subject, thrown, timeoutMs);
    }
  }

  /** The server for a proxy that serves it to other clients. */
  forwarded(): ForwardedServer {
    const { client, era, config, ask, whyLost, onFailed } = this.#options;
    const context = { ...this.#context, serverId: this.#id, timeoutMs: getTimeout(config), ask };
    return {
      era,
      capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
      request: async (request) => {
        try {
          const lost = whyLost();
          if (lost !== undefined) throw new ProtocolError(NOT_ACCEPTED, lost.message);
          return await forward(context, request);
        } catch (thrown) {
          onFailed(thrown);
          throw thrown;
        }
      },
    };
  }

  /**
   * Modern servers decide for themselves whether a call becomes a task. A legacy server is asked for one if its tool
   * requires it, or if a task can outlive the connection: not with a process that ends with it.
   */
  isWantedAsTask(name: string): boolean {
    const { era, client, config, tools } = this.#options;
    const taskSupport = tools().get(name)?.taskSupport;
    if (era !== 'legacy' || client.getServerCapabilities()?.tasks?.requests?.tools?.call === undefined) return false;
    return taskSupport === 'required' || (taskSupport === 'optional' && config.transport.type === 'http');
  }

  /** @throws ToolyardError */
  async readResource(uri: string, options: McpRequestOptions = {}): Promise<ResourcePart[]> {
    const raw = await this.#request('resources/read', uri, { uri }, options);
    return readContents(this.#id, uri, raw);
  }

  /** The HTML of an app and what it declares. @throws ToolyardError, also if the resource is no app */
  async readApp(uri: string, options: McpRequestOptions = {}): Promise<McpAppDocument> {
    const raw = await this.#request('resources/read', uri, { uri }, options);
    return readApp(this.#id, uri, raw);
  }

  /** Empty if the server offers none. @throws ToolyardError */
  listSkills(options: McpRequestOptions): Promise<{ skills: ListedSkill[]; skipped: SkippedItem[] }> {
    return this.#ofSkills('its skills', (skills) => skills.list(options));
  }

  /** @throws ToolyardError, also for a file that does not match its listing */
  readSkill(uri: string, path: string | undefined, options: McpRequestOptions): Promise<SkillFile> {
    return this.#ofSkills(uri, (skills) => skills.read(uri, path, options));
  }

  async #ofSkills<T>(subject: string, ask: (skills: ServerSkills) => Promise<T>): Promise<T> {
    const { client, config, whyLost } = this.#options;
    const lost = whyLost();
    if (lost !== undefined) throw new ToolyardError(lost);
    const timeoutMs = getTimeout(config);
    try {
      return await ask(new ServerSkills({ serverId: this.#id, client, timeoutMs }));
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown)) throw thrown;
      throw this.#createCallError(subject, thrown, timeoutMs);
    }
  }

  /** @throws ToolyardError, also if known required arguments are missing */
  async getPrompt(name: string, args: Record<string, string>, options: McpRequestOptions = {}): Promise<FilledPrompt> {
    const listed = this.#options.catalogue.prompts?.find((prompt) => prompt.name === name);
    const missing = listed?.arguments.filter(({ name: one, required }) => required && args[one] === undefined) ?? [];
    if (missing.length > 0) {
      const names = missing.map((argument) => `"${argument.name}"`).join(', ');
      throw new ToolyardError({
        code: 'invalid_arguments',
        message: say`The prompt "${name}" of "${this.#id}" requires ${names}.`,
      });
    }
    const raw = await this.#request('prompts/get', name, { name, arguments: args }, options);
    return readFilledPrompt(this.#id, name, raw);
  }

  /** Undefined if the tool list is up to date; else resolves when it is, or after a timeout. */
  toolsUpToDate(): Promise<void> | undefined {
    const { watch, clock } = this.#options;
    const known = watch.toolsUpToDate();
    if (known === undefined) return undefined;
    let cancelTimer = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancelTimer = clock.after(REFRESH_TIMEOUT_MS, resolve);
    });
    return Promise.race([known, timeout]).finally(cancelTimer);
  }

  /** A fresh list from the server. @throws ToolyardError */
  async listPrompts(): Promise<readonly ListedPrompt[]> {
    const { catalogue, signal, config } = this.#options;
    try {
      return await catalogue.listPrompts(signal);
    } catch (thrown) {
      throw this.#createCallError('its prompts', thrown, getTimeout(config));
    }
  }

  /** Without values if the server offers no completions. @throws ToolyardError */
  async complete(
    target: CompletionTarget,
    argument: { name: string; value: string },
    others: Record<string, string>,
    options: McpRequestOptions = {},
  ): Promise<Completion> {
    if (this.#options.client.getServerCapabilities()?.completions === undefined) return { values: [], hasMore: false };
    const [ref, subject] =
      'prompt' in target
        ? [{ type: 'ref/prompt', name: target.prompt }, target.prompt]
        : [{ type: 'ref/resource', uri: target.uriTemplate }, target.uriTemplate];
    const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } };
    return readCompletion(await this.#request('completion/complete', subject, { ref, argument, ...context }, options));
  }

  /** Subscribes to exactly these resources. Legacy servers get one request each. */
  async follow(wanted: ReadonlySet<string>, added: readonly string[], removed: readonly string[]): Promise<void> {
    const { era, watch, client } = this.#options;
    if (era === 'modern') return watch.follow(wanted);
    if (client.getServerCapabilities()?.resources?.subscribe !== true) return;
    for (const uri of removed) await this.#request('resources/unsubscribe', uri, { uri }, {});
    for (const uri of added) await this.#request('resources/subscribe', uri, { uri }, {});
  }

  /** Takes effect with the next request on a modern server, at once on a legacy one. */
  async setLogLevel(level: LogLevel | undefined): Promise<void> {
    const { era, client, warn } = this.#options;
    this.#logLevel = level;
    if (level === undefined || era !== 'legacy' || client.getServerCapabilities()?.logging === undefined) return;
    await this.#request('logging/setLevel', level, { level }, {}).catch(() => {
      warn('The log level could not be set.');
    });
  }

  /**
   * Makes these the roots of a connection before a call on it. Undefined if the call does not have to wait: modern servers
   * ask during each call.
   */
  useRoots(uris: readonly string[]): Promise<void> | undefined {
    const { roots, era, relays } = this.#options;
    if (roots === undefined || era !== 'legacy' || relays) return undefined;
    const { client } = this.#options;
    return roots.use(uris, {
      announce: () => this.#announceRoots(),
      ping: (timeout) => client.ping({ timeout }).then(noop, noop),
    });
  }

  /** Notifies the server that the roots have changed. */
  async rootsChanged(): Promise<void> {
    const { era, handlers } = this.#options;
    if (era !== 'legacy' || handlers.roots === undefined) return;
    await this.#announceRoots();
  }

  async #announceRoots(): Promise<void> {
    await this.#options.client.notification({ method: 'notifications/roots/list_changed' }).catch(() => undefined);
  }

  async #request(
    method: OutgoingRequest['method'],
    subject: string,
    params: JsonObject,
    options: McpRequestOptions,
  ): Promise<unknown> {
    const lost = this.#options.whyLost();
    if (lost !== undefined) throw new ToolyardError(lost);
    const timeoutMs = options.timeoutMs ?? getTimeout(this.#options.config);
    const request = { method, params: { ...params, ...this.#meta() }, options, timeoutMs };
    try {
      return await sendRequest(this.#context, request);
    } catch (thrown) {
      throw this.#createCallError(subject, thrown, timeoutMs);
    }
  }

  #createCallError(subject: string, thrown: unknown, timeoutMs: number): ToolyardError {
    this.#options.onFailed(thrown);
    return toRequestError({ serverId: this.#id, subject, thrown, timeoutMs, lost: this.#options.whyLost() });
  }

  #meta(): JsonObject {
    return this.#options.era === 'modern' ? logLevelMeta(this.#logLevel) : {};
  }
}
