import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson, systemClock } from '@toolyard/protocol';
import type { CheckResult } from '@toolyard/storage';
import { checkStorage, openStorage } from '@toolyard/storage';
import type { McpBehaviour, McpBehaviourName, ModelReply, ModelServer, RecordedRequest } from '@toolyard/testing';
import {
  COUNT_FILE_VARIABLE,
  LOG_FILE_VARIABLE,
  reply,
  scriptedMcpCommand,
  startModelServer,
  within,
} from '@toolyard/testing';
import { callName } from './call-name.ts';
import type { Fault, ServerInstance, LocalServerInstance } from './server-instance.ts';
import { startHere, startProcess } from './server-instance.ts';
import { ModelUsage } from './model-usage.ts';
import type { LivesDatabase, Role, TestServerSettings } from './test-server.ts';
import { malformedHistory } from './malformed-history.ts';

export type { Fault, ServerInstance, LocalServerInstance } from './server-instance.ts';
export type { LivesDatabase } from './test-server.ts';

/** A slow process keeps its runs and servers; those of a killed one are free after {@link EXPIRE_LEASES}. */
export const LONG_LEASES = { leaseMs: 30_000 };
/** Sets the run leases of killed processes to expired; a live process renews its own within a second. */
export const EXPIRE_LEASES = 'UPDATE runs SET lease_until = 0 WHERE lease_owner IS NOT NULL';
/** The same for the local servers of a killed process. */
export const EXPIRE_HELD_SERVERS = 'UPDATE held_servers SET lease_until = 0 WHERE holder IS NOT NULL';

/** Of the configuration file. */
const PROVIDER = 'small';

/** The calls of each turn, numbered consecutively. */
export function callsOfTurns(turns: readonly number[]): number[][] {
  let n = 0;
  return turns.map((size) => Array.from({ length: size }, () => ++n));
}

export type ServerInstancesOptions = {
  /**
   * The behaviour of the tool server; default: it counts. Receives the file created by {@link
   * ServerInstances.releaseTools}.
   */
  tools?: McpBehaviour | McpBehaviourName | ((file: string) => McpBehaviour);
  database?: LivesDatabase;
  /** Servers in addition to the tool server. */
  others?: readonly ServerConfig[];
  /** Every call of the storage is a failpoint, too. */
  everyCall?: boolean;
  /** The model may ask the user. */
  askUser?: boolean;
  /** The model may call the function tool `reserve`. */
  reserves?: boolean;
  /** The model may call the built-in tools that need a server. */
  serverTools?: boolean;
  /** Context window of the model in tokens; default: unknown. */
  contextWindow?: number;
  /** Lease duration of runs and servers; default: that of the product. */
  leaseMs?: number;
  /** Timeout for tool calls when a process is closed, in milliseconds; default: a minute. */
  lastCallsMs?: number;
  /** The model may delegate tasks to sub-agents. */
  delegates?: boolean;
  /** Separates the requests of sub-agents from those of the run that started them; default: all are of one. */
  getUsageKey?: (messages: readonly ModelMessage[]) => string;
  /** The model server reports token usage, see {@link ModelUsage}. */
  reportsUsage?: boolean;
  /** The model answers only after this resolves. */
  modelWaits?: (messages: readonly ModelMessage[]) => Promise<unknown> | undefined;
};

/** The part of a model request that scripts look at. */
export type ModelMessage = { role: string; content?: unknown; tool_call_id?: string };

/** A data folder, a model, a counting tool, and the server processes that use them. */
export class ServerInstances implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolyard-lives-'));
  readonly #model: ModelServer;
  readonly #options: ServerInstancesOptions;
  readonly #lives: LocalServerInstance[] = [];
  #started = 0;

  private constructor(model: ModelServer, options: ServerInstancesOptions) {
    this.#model = model;
    this.#options = options;
    if (options.contextWindow === undefined) return;
    const { contextWindow } = options;
    mkdirSync(this.dataDir);
    writeFileSync(
      join(this.dataDir, 'config.json'),
      JSON.stringify({
        providers: [{ id: PROVIDER, baseUrl: model.url }],
        models: { [`${PROVIDER}/scripted`]: { contextWindow } },
      }),
    );
  }

  /** The provider of the model; null for the one of the environment. */
  get providerId(): string | null {
    return this.#options.contextWindow === undefined ? null : PROVIDER;
  }

  /** With a model of its own. */
  static async with(
    script: (messages: readonly ModelMessage[]) => ModelReply,
    options: ServerInstancesOptions,
  ): Promise<ServerInstances> {
    const usage = new ModelUsage();
    const model = await startModelServer(async ({ body }) => {
      const { messages } = body as { messages: ModelMessage[] };
      await options.modelWaits?.(messages);
      const { getUsageKey = () => '' } = options;
      return options.reportsUsage === true ? usage.reply(getUsageKey(messages), script(messages)) : script(messages);
    });
    return new ServerInstances(model, options);
  }

  /** The model requests this many calls of `count` per turn, with distinct arguments `n` from 1, and then ends. */
  static async of(turns: readonly number[], options: ServerInstancesOptions = {}): Promise<ServerInstances> {
    const script = (messages: readonly ModelMessage[]): ModelReply => {
      const answered = messages.filter(({ role }) => role === 'tool').length;
      const calls = callsOfTurns(turns).find(([first = 0]) => first > answered);
      if (calls === undefined) {
        return reply.text('I have counted all there was, as you asked me to do.', { pieces: 5, delayMs: 4 });
      }
      const wanted = calls.map((n) => ({ id: `call_${n}`, name: 'count', arguments: { n } }));
      return reply.toolCalls(wanted, { text: 'Let me count.', pieces: 4, delayMs: 2 });
    };
    return ServerInstances.with(script, options);
  }

  get databaseUrl(): string {
    return this.#options.database?.url ?? '';
  }

  get dataDir(): string {
    return this.#file('data');
  }

  /** How often the tool has taken effect. */
  get counted(): number {
    const file = this.#file('count');
    return existsSync(file) ? statSync(file).size : 0;
  }

  /** How often the tool server was started. */
  get starts(): number {
    return this.#messages.filter(({ method }) => method === 'notifications/initialized').length;
  }

  /** The argument `n` of every call that reached the tool. */
  get made(): number[] {
    return this.#calls.flatMap((params) => {
      const args = params['arguments'];
      return isJsonObject(args) && typeof args['n'] === 'number' ? [args['n']] : [];
    });
  }

  /** How often each call reached the tool. */
  get effects(): Map<string, number> {
    const names = this.#calls.flatMap(({ arguments: args }) => (isJsonObject(args) ? [callName(args)] : []));
    return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
  }

  /** The `requestState` of every call that reached the tool with one. */
  get states(): string[] {
    return this.#calls.flatMap(({ requestState: state }) => (typeof state === 'string' ? [state] : []));
  }

  get #calls(): JsonObject[] {
    return this.#messages.flatMap(({ params }) => (isJsonObject(params) ? [params] : []));
  }

  get #messages(): JsonObject[] {
    return this.#lines('log').flatMap((line) => {
      const message = parseJson(line);
      return message.ok && isJsonObject(message.value) ? [message.value] : [];
    });
  }

  /** True if a file of the data folder contains this text. */
  holds(text: string): boolean {
    const folder = this.#file('data');
    return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
    );
  }

  /** Effects of the function tool `reserve`. */
  get reserved(): string[] {
    return this.#lines('reserved');
  }

  /** Maximum number of killed processes: all but the last. */
  get kills(): number {
    return this.#started - 1;
  }

  /** The failpoints passed, by process, including those of processes killed before they responded. */
  get passed(): string[] {
    return Array.from({ length: this.#started }, (_none, index) => this.#lines(`passed-${index + 1}`)).flat();
  }

  /** Number of answers requested from the model server. */
  get modelRequests(): number {
    return this.#chats.length;
  }

  /** Those that `getUsageKey` gives this name. */
  countModelRequests(name: string): number {
    const { getUsageKey } = this.#options;
    if (getUsageKey === undefined) return this.modelRequests;
    return this.#chats.filter(({ body }) => getUsageKey((body as { messages: ModelMessage[] }).messages) === name)
      .length;
  }

  /** Errors in the history of any request to the model. */
  get faults(): string[] {
    return this.#chats.flatMap(({ body }) => malformedHistory(body));
  }

  /** Maximum number of occurrences of a text in one request to the model. */
  mostOftenInRequest(text: string): number {
    return Math.max(
      0,
      ...this.#chats.map(({ text: body }) => body.split(JSON.stringify(text).slice(1, -1)).length - 1),
    );
  }

  get #chats(): RecordedRequest[] {
    return this.#model.requests.filter(({ method }) => method === 'POST');
  }

  /** Creates the file that waiting tools wait for. */
  releaseTools(): void {
    writeFileSync(this.#file('go-on'), '');
  }

  /** Calls are stored as sent, and not executed until released. */
  holdCalls(): void {
    writeFileSync(this.#file('held'), '');
  }

  releaseCalls(): void {
    rmSync(this.#file('held'));
  }

  /** Starts a server in a process of its own; resolves when it responds. */
  async start(fault?: Fault, role?: Role): Promise<ServerInstance> {
    return this.#keep(await startProcess(this.#nextSettings(role), this.#folder, fault));
  }

  /** Starts a server in the process of the test, at a tenth of the cost, if it need not be killed. */
  async startHere(role?: Role): Promise<LocalServerInstance> {
    return this.#keep(await startHere(this.#nextSettings(role), this.#folder));
  }

  /**
   * Starts two processes, and kills the one that reaches `place` first for the nth time: a run may be in either of
   * them. `killed` waits for that.
   */
  async startWithFault(
    fault: Pick<Fault, 'place' | 'hit'>,
    role?: Role,
  ): Promise<{
    pair: [ServerInstance, ServerInstance];
    killed: () => Promise<{ dead: ServerInstance; alive: ServerInstance }>;
  }> {
    const shared = { ...fault, onceFile: this.#file('fault') };
    // The first creates the tables, the other finds them.
    const one = await this.start(shared, role);
    const other = await this.start(shared, role);
    const isDead = Promise.race([
      one.over.then((signal) => ({ signal, dead: one, alive: other })),
      other.over.then((signal) => ({ signal, dead: other, alive: one })),
    ]);
    return {
      pair: [one, other],
      async killed() {
        const { signal, ...both } = await within(isDead, { what: `the kill at ${fault.place}, hit ${fault.hit}` });
        if (signal !== 'SIGKILL') throw new Error(`a process exited by itself (${String(signal)})`);
        return both;
      },
    };
  }

  #keep<L extends LocalServerInstance>(life: L): L {
    this.#lives.push(life);
    return life;
  }

  #nextSettings(role?: Role): TestServerSettings {
    const {
      database,
      everyCall,
      askUser,
      delegates,
      reserves,
      serverTools,
      leaseMs,
      lastCallsMs,
      tools = 'counting',
      others = [],
    } = this.#options;
    const files = { [COUNT_FILE_VARIABLE]: this.#file('count'), [LOG_FILE_VARIABLE]: this.#file('log') };
    const behaviour = typeof tools === 'function' ? tools(this.#file('go-on')) : tools;
    const counter = {
      id: 'counter',
      transport: { type: 'stdio' as const, ...scriptedMcpCommand(behaviour), env: files },
    };
    return {
      dataDir: this.dataDir,
      servers: [counter, ...others],
      env: {
        OPENAI_BASE_URL: this.#model.url,
        OPENAI_API_KEY: 'k',
        ...(database && { TOOLYARD_SECRET: 'a secret of the test' }),
      },
      ...(database && { database: { ...database, url: namedConnections(database.url, this.#started + 1) } }),
      ...(role && { role }),
      ...(everyCall !== undefined && { everyCall }),
      ...(askUser !== undefined && { askUser }),
      ...(delegates !== undefined && { delegates }),
      ...(reserves === true && { reserveFile: this.#file('reserved') }),
      ...(serverTools === true && { serverTools }),
      ...(leaseMs !== undefined && { leaseMs }),
      ...(lastCallsMs !== undefined && { lastCallsMs }),
      passedFile: this.#file(`passed-${++this.#started}`),
      heldFile: this.#file('held'),
    };
  }

  /** Problems of the data folder; empty if it is valid. */
  async damage(): Promise<string[]> {
    const { database } = this.#options;
    const checked = await (database ? checkDatabase(database) : checkStorage(this.dataDir));
    return checked.ok ? [] : checked.problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lives.map((life) => life.end()));
    await this.#model.close();
    // Tools of a killed server may still write for a moment.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #lines(name: string): string[] {
    const file = this.#file(name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }
}

/** The connection name in the database shows which process wrote. */
function namedConnections(url: string, life: number): string {
  const named = new URL(url);
  named.searchParams.set('application_name', `toolyard life ${String(life)}`);
  return named.href;
}

async function checkDatabase({ url }: LivesDatabase): Promise<CheckResult> {
  const storage = await openStorage({ url, clock: systemClock });
  try {
    return await storage.check();
  } finally {
    await storage.close();
  }
}
