import type { Client, Implementation } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo, JsonObject, ResourcePart, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { notSent } from './call-failure.ts';
import { CallQueue } from './call-queue.ts';
import { callTool, statusOfRefusal } from './call-tool.ts';
import { Catalogue } from './catalogue.ts';
import { ChangeWatch } from './change-watch.ts';
import { explainEnd, explainFailedConnect } from './connect-failure.ts';
import { closedByUs, connectionClosed, notReady, sessionEnded, signInWanted } from './connection-errors.ts';
import type { EraMemory } from './era-memory.ts';
import { sayHello } from './handshake.ts';
import { capabilitiesIn, introductionOf } from './introduction.ts';
import type { QuestionHandlers } from './questions.ts';
import { mayInterrupt } from './questions.ts';
import { QuestionDesk } from './question-desk.ts';
import { readCompletion, readContents, readFilledPrompt } from './read-contents.ts';
import type { ListedTool } from './read-tool.ts';
import type { OpenRequest, OutgoingRequest, RequestContext } from './request.ts';
import { sendRequest } from './request.ts';
import { toRequestError } from './request-failure.ts';
import { hearServerLog, logLevelMeta } from './server-messages.ts';
import type { CreateTransport, HostTransport } from './transport.ts';
import type {
  CallToolOptions,
  Completion,
  CompletionTarget,
  ConnectionPhase,
  Era,
  FilledPrompt,
  ListedPrompt,
  LogEntry,
  LogLevel,
  RequestOptions,
  ServerConfig,
  ServerHealth,
} from './types.ts';
import type { WireLog } from './wire-log.ts';

const DEFAULT_CALL_TIMEOUT_MS = 60_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;

/** What became of a connection that stood. */
export type LostBy = 'lost' | 'session_lost' | 'sign_in';

export type ConnectionOptions = {
  config: ServerConfig;
  createTransport: CreateTransport;
  clock: Clock;
  clientInfo: Implementation;
  eraMemory: EraMemory;
  handlers: QuestionHandlers;
  wire: WireLog;
  /** From which level on the server is to tell what it does; undefined leaves that to it. */
  logLevel: LogLevel | undefined;
  note(entry: LogEntry, source?: 'server'): void;
  /** After every change of phase or offer. */
  onChange(): void;
  /** At most once, and only if it stood. */
  onLost(error: ErrorInfo, by: LostBy): void;
  /** A resource that is followed has changed. */
  onUpdated(uri: string): void;
};

/** One life of a connection: saying hello, what the server offers, asking it for things, losing or leaving it. */
export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #id: string;
  readonly #open = new Set<OpenRequest>();
  readonly #queue = new CallQueue();
  readonly #ending = new AbortController();
  #phase: ConnectionPhase = 'disconnected';
  #phases: ServerHealth['phases'] = [];
  #isReady = false;
  #error: ErrorInfo | undefined;
  #era: Era | undefined;
  #client: Client | undefined;
  #transport: HostTransport | undefined;
  #catalogue: Catalogue | undefined;
  #watch: ChangeWatch | undefined;
  #desk: QuestionDesk | undefined;
  #logLevel: LogLevel | undefined;
  #connecting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#id = options.config.id;
    this.#logLevel = options.logLevel;
  }

  /** By the server's own names, in the order it lists them. */
  get tools(): ReadonlyMap<string, ListedTool> {
    return this.#catalogue?.tools ?? new Map<string, ListedTool>();
  }

  get catalogue(): Catalogue | undefined {
    return this.#catalogue;
  }

  get client(): Client | undefined {
    return this.#client;
  }

  /** What there is to tell of it, for the health of its server. */
  report(): Partial<ServerHealth> & Pick<ServerHealth, 'phase' | 'phases' | 'skipped'> {
    const { resources, prompts, skipped = [] } = this.#catalogue ?? {};
    return {
      phase: this.#phase,
      phases: [...this.#phases],
      ...(this.#era === undefined ? {} : { era: this.#era }),
      ...(this.#client === undefined || this.#era === undefined ? {} : introductionOf(this.#client)),
      ...(this.#client === undefined || this.#era === undefined ? {} : { capabilities: capabilitiesIn(this.#client) }),
      ...(resources === undefined ? {} : { resourceCount: resources.length }),
      ...(prompts === undefined ? {} : { promptCount: prompts.length }),
      skipped,
    };
  }

  /**
   * Connects and lists the tools; resources and prompts follow when nobody waits any more. To be called once.
   *
   * @throws ToolyardError saying which server failed, where, and what to do
   */
  connect(): Promise<void> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    const { config, clock } = this.#options;
    const timeoutMs = config.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    const stop = new AbortController();
    let outOfTime = false;
    const cancelTimer = clock.after(timeoutMs, () => {
      outOfTime = true;
      stop.abort();
    });
    const onEnding = (): void => stop.abort();
    this.#ending.signal.addEventListener('abort', onEnding, { once: true });
    try {
      if (this.#closing !== undefined) throw new Error('It was left before it began.');
      await this.#greet(stop.signal, timeoutMs);
      this.#set('listing');
      await this.#catalogue?.listTools(stop.signal);
      if (this.#error !== undefined || stop.signal.aborted) throw new Error('The connection was lost.');
      this.#isReady = true;
      this.#set('connected');
    } catch (thrown) {
      throw await this.#failure(thrown, outOfTime, timeoutMs);
    } finally {
      cancelTimer();
      this.#ending.signal.removeEventListener('abort', onEnding);
    }
    void this.#catalogue?.listTheRest(this.#ending.signal);
    void this.#tellLogLevel();
  }

  async #greet(signal: AbortSignal, timeoutMs: number): Promise<void> {
    const { config, createTransport, clock, clientInfo, eraMemory, handlers, wire } = this.#options;
    const desk = new QuestionDesk({ serverId: this.#id, handlers, open: this.#open });
    this.#desk = desk;
    const { client, era } = await sayHello({
      config: config.transport,
      createTransport,
      context: { serverId: this.#id, clock, log: (level, text, source) => this.#note(level, text, source) },
      clientInfo,
      eraMemory,
      desk,
      wire,
      signal,
      timeoutMs,
      onPhase: (phase) => this.#set(phase),
      onTransport: (transport) => {
        this.#transport = transport;
      },
    });
    this.#client = client;
    this.#era = era;
    client.onclose = () => this.#lost();
    client.onerror = (error) => this.#note('info', `The protocol library says: ${error.message}`);
    hearServerLog(client, (level, text) => this.#note(level, text, 'server'));
    this.#catalogue = new Catalogue({
      client,
      timeoutMs: this.#callTimeout,
      note: (level, text) => this.#note(level, text),
      onChange: () => this.#options.onChange(),
    });
    this.#watch = new ChangeWatch({
      client,
      era,
      clock,
      refresh: async (kind) => {
        await this.#connecting?.catch(() => undefined);
        if (this.#isReady) await this.#catalogue?.refresh(kind, this.#ending.signal);
      },
      onUpdated: (uri) => this.#options.onUpdated(uri),
      warn: (text) => this.#note('warning', text),
    });
    if (this.#transport !== undefined) this.#transport.onreopened = () => this.#watch?.lookAgain();
    this.#set('capabilities_exchanged');
  }

  async #failure(thrown: unknown, outOfTime: boolean, timeoutMs: number): Promise<ToolyardError> {
    const transport = this.#transport;
    this.#watch?.stop();
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    if (this.#closing !== undefined) {
      await transport?.close();
      return new ToolyardError(closedByUs(this.#id));
    }
    const error = explainFailedConnect({
      config: this.#options.config,
      phase: this.#phase,
      thrown,
      outOfTime,
      timeoutMs,
      end: transport?.end,
      noiseLines: transport?.noiseLines ?? 0,
    });
    await transport?.close();
    this.#end(error);
    return new ToolyardError(error, { cause: thrown });
  }

  /** One call; see {@link ToolHost.callTool} for the promise it makes. */
  async callTool(name: string, args: JsonObject, options: CallToolOptions = {}): Promise<ToolResult> {
    const reference = { serverId: this.#id, name };
    const tool = this.tools.get(name);
    if (!this.#isReady) return notSent(this.#error ?? notReady(this.#id, 'idle'));
    if (tool === undefined) {
      return notSent({ code: 'tool_not_found', message: `The server "${this.#id}" offers no tool "${name}".` });
    }
    // A legacy server's question does not say which call it belongs to: there must be only one.
    const isAlone = this.#era === 'legacy' && mayInterrupt(this.#options.handlers);
    const leave = isAlone ? await this.#queue.enter(options.signal) : (): void => undefined;
    try {
      if (!this.#isReady) return notSent(this.#error ?? closedByUs(this.#id));
      return await callTool({
        context: this.#requestContext(),
        tool,
        reference,
        args,
        options,
        timeoutMs: options.timeoutMs ?? this.#callTimeout,
        meta: this.#meta(),
        mirrorsHeaders: this.#options.config.transport.type === 'http' && this.#era === 'modern',
        whyLost: () => this.#error,
        onStatus: (status) => this.#onStatus(status),
        warn: (text) => this.#note('warning', text),
      });
    } finally {
      leave?.();
    }
  }

  /** @throws ToolyardError */
  async readResource(uri: string, options: RequestOptions = {}): Promise<ResourcePart[]> {
    const raw = await this.#request('resources/read', uri, { uri }, options);
    return readContents(this.#id, uri, raw);
  }

  /** @throws ToolyardError */
  async getPrompt(name: string, args: Record<string, string>, options: RequestOptions = {}): Promise<FilledPrompt> {
    const listed = this.#catalogue?.prompts?.find((prompt) => prompt.name === name);
    const missing =
      listed?.arguments.filter((argument) => argument.required && args[argument.name] === undefined) ?? [];
    if (missing.length > 0) {
      throw new ToolyardError({
        code: 'invalid_arguments',
        message: `The prompt "${name}" of "${this.#id}" needs ${missing.map((argument) => `"${argument.name}"`).join(', ')}.`,
      });
    }
    const raw = await this.#request('prompts/get', name, { name, arguments: args }, options);
    return readFilledPrompt(this.#id, name, raw);
  }

  /** Fresh from the server, whatever was listed before. @throws ToolyardError */
  async listPrompts(): Promise<readonly ListedPrompt[]> {
    try {
      return (await this.#catalogue?.listPrompts(this.#ending.signal)) ?? [];
    } catch (thrown) {
      throw this.#requestError('its prompts', thrown, this.#callTimeout);
    }
  }

  /** No suggestions where the server gives none. @throws ToolyardError */
  async complete(
    target: CompletionTarget,
    argument: { name: string; value: string },
    others: Record<string, string>,
    options: RequestOptions = {},
  ): Promise<Completion> {
    if (this.#client?.getServerCapabilities()?.completions === undefined) return { values: [], hasMore: false };
    const [ref, subject] =
      'prompt' in target
        ? [{ type: 'ref/prompt', name: target.prompt }, target.prompt]
        : [{ type: 'ref/resource', uri: target.uriTemplate }, target.uriTemplate];
    const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } };
    return readCompletion(await this.#request('completion/complete', subject, { ref, argument, ...context }, options));
  }

  /** Hears of changes of these resources, and of no others. Legacy servers are asked one by one. */
  async follow(wanted: ReadonlySet<string>, added: readonly string[], removed: readonly string[]): Promise<void> {
    if (this.#era === 'modern') return this.#watch?.follow(wanted);
    if (this.#client?.getServerCapabilities()?.resources?.subscribe !== true) return;
    for (const uri of removed) await this.#request('resources/unsubscribe', uri, { uri }, {});
    for (const uri of added) await this.#request('resources/subscribe', uri, { uri }, {});
  }

  /** Takes effect with the next request of a modern server, at once on a legacy one. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    await this.#tellLogLevel();
  }

  /** The owner's folders are others now. */
  async rootsChanged(): Promise<void> {
    if (this.#era !== 'legacy' || this.#options.handlers.roots === undefined) return;
    await this.#client?.notification({ method: 'notifications/roots/list_changed' }).catch(() => undefined);
  }

  /** Stops every request under way; calls among them are answered with an unknown outcome. */
  abortCalls(): void {
    for (const request of this.#open) request.stop();
  }

  /** Leaves the server: requests are stopped, the process or session is ended. Final, and safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isReady = false;
    this.#ending.abort();
    this.abortCalls();
    this.#watch?.stop();
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    await this.#connecting?.catch(() => undefined);
    await this.#transport?.close();
    if (this.#error === undefined) this.#set('disconnected');
  }

  async #request(
    method: OutgoingRequest['method'],
    subject: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<unknown> {
    if (!this.#isReady) throw new ToolyardError(this.#error ?? notReady(this.#id, 'idle'));
    const timeoutMs = options.timeoutMs ?? this.#callTimeout;
    try {
      return await sendRequest(this.#requestContext(), {
        method,
        params: { ...params, ...this.#meta() },
        options,
        timeoutMs,
      });
    } catch (thrown) {
      throw this.#requestError(subject, thrown, timeoutMs);
    }
  }

  #requestError(subject: string, thrown: unknown, timeoutMs: number): ToolyardError {
    const status = statusOfRefusal(thrown);
    if (status !== undefined) this.#onStatus(status);
    return toRequestError({ serverId: this.#id, subject, thrown, timeoutMs, lost: this.#error });
  }

  #requestContext(): RequestContext {
    const { clock } = this.#options;
    const { client, open, desk } = { client: this.#client, open: this.#open, desk: this.#desk };
    if (client === undefined || desk === undefined) throw new ToolyardError(notReady(this.#id, 'idle'));
    return { client, clock, open, answer: (asked, request) => desk.answerInRound(asked, request) };
  }

  get #callTimeout(): number {
    return this.#options.config.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
  }

  #meta(): JsonObject {
    return this.#era === 'modern' ? logLevelMeta(this.#logLevel) : {};
  }

  async #tellLogLevel(): Promise<void> {
    const level = this.#logLevel;
    if (level === undefined || this.#era !== 'legacy') return;
    if (this.#client?.getServerCapabilities()?.logging === undefined) return;
    await this.#request('logging/setLevel', level, { level }, {}).catch((thrown: unknown) => {
      if (!(thrown instanceof ProtocolError)) this.#note('warning', 'The server did not take the level of its log.');
    });
  }

  /** What a status says of the connection as a whole. */
  #onStatus(status: number): void {
    if (status === 401) this.#drop(signInWanted(this.#id), 'sign_in');
    // A legacy server has forgotten the session: nothing can come of this connection any more.
    if (status === 404 && this.#transport?.sessionId !== undefined) this.#drop(sessionEnded(this.#id), 'session_lost');
  }

  /** The connection ended without being asked to. */
  #lost(): void {
    const end = this.#transport?.end;
    const error = end === undefined ? connectionClosed(this.#id) : explainEnd(this.#id, this.#phase, end);
    // While connecting, the attempt itself fails and says why.
    if (this.#isReady) this.#drop(error, 'lost');
  }

  #drop(error: ErrorInfo, by: LostBy): void {
    if (!this.#isReady) return;
    this.#end(error);
    // The owner closes it, and asks what it was until then.
    this.#options.onLost(error, by);
  }

  #end(error: ErrorInfo): void {
    this.#isReady = false;
    this.#error = error;
    if (this.#client !== undefined) this.#client.onclose = () => undefined;
    this.#note('error', error.message);
    this.#set('error');
  }

  #set(phase: ConnectionPhase): void {
    if (phase === this.#phase) return;
    const at = this.#options.clock.now();
    if (phase === 'transport_creating') this.#phases = [];
    this.#phase = phase;
    this.#phases.push({ phase, at });
    if (phase !== 'error') this.#note('info', phase.replaceAll('_', ' '));
    this.#options.onChange();
  }

  #note(level: LogEntry['level'], text: string, source?: 'server'): void {
    this.#options.note({ at: this.#options.clock.now(), phase: this.#phase, level, text }, source);
  }
}
