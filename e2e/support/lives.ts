import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson, systemClock } from '@toolyard/protocol';
import type { CheckResult } from '@toolyard/storage';
import { checkStorage, openStorage } from '@toolyard/storage';
import type { ServerOptions } from '@toolyard/server';
import type { McpBehaviour, McpBehaviourName, ModelReply, ModelServer } from '@toolyard/testing';
import {
  COMPILED_ONCE,
  COUNT_FILE_VARIABLE,
  LOG_FILE_VARIABLE,
  reply,
  scriptedMcpCommand,
  programArgs,
  startModelServer,
} from '@toolyard/testing';
import { faultsOf } from './well-formed.ts';

/** Where one is held up for long, nobody takes over what it has; nor what a dead one had, before {@link LEASES_RUN_OUT}. */
export const LONG_LEASES = { leaseMs: 30_000 };
/** As if the time had passed for which runs stay with a process that shows no sign of life; for whoever holds none. */
export const LEASES_RUN_OUT = 'UPDATE runs SET lease_until = 0 WHERE lease_owner IS NOT NULL';

/** Of the configuration file. */
const PROVIDER = 'small';

const DYING = fileURLToPath(new URL('./dying-server.ts', import.meta.url));

/** One start of the server, up to its death. */
export type Life = {
  readonly url: string;
  readonly over: Promise<NodeJS.Signals | null>;
  kill(): void;
  signal(name: NodeJS.Signals): void;
};

/** Where a life is to end by itself: at the nth passing of a failpoint, `*` being any. */
export type Death = {
  place: string;
  hit: number;
  /** Hits count once this place was passed: how often others are before it may differ from run to run. */
  after?: string;
};

/** The calls of each turn, numbered through. */
export function callsOfTurns(turns: readonly number[]): number[][] {
  let n = 0;
  return turns.map((size) => Array.from({ length: size }, () => ++n));
}

/** A database the lives share in the place of the data folder's own. */
export type LivesDatabase = { url: string; notify?: boolean };

export type LivesOptions = {
  /** How the tool server behaves; default: it counts. Told the file {@link Lives.letToolsGoOn} makes. */
  tools?: McpBehaviour | McpBehaviourName | ((file: string) => McpBehaviour);
  database?: LivesDatabase;
  /** Servers beside the tool server. */
  others?: readonly ServerConfig[];
  /** Whatever is asked of the store is a failpoint, too. */
  everyCall?: boolean;
  /** The model may ask the person. */
  askUser?: boolean;
  /** How much the model takes, in tokens; default: nobody knows. */
  contextWindow?: number;
  /** How long a life may be held up and keep its runs and servers; default: as long as the product has it. */
  leaseMs?: number;
  /** The model answers only then. */
  modelWaits?: (messages: readonly ModelMessage[]) => Promise<unknown> | undefined;
};

/** What a model is sent, as far as a script looks at it. */
export type ModelMessage = { role: string; content?: unknown; tool_call_id?: string };

/** A data folder, a model and a tool that counts, and the lives of the server with them. */
export class Lives implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolyard-lives-'));
  readonly #model: ModelServer;
  readonly #options: LivesOptions;
  readonly #children: ChildProcess[] = [];

  private constructor(model: ModelServer, options: LivesOptions) {
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

  /** The provider the model is known by; null where that is the one of the environment. */
  get providerId(): string | null {
    return this.#options.contextWindow === undefined ? null : PROVIDER;
  }

  /** With a model of its own. */
  static async with(script: (messages: readonly ModelMessage[]) => ModelReply, options: LivesOptions): Promise<Lives> {
    const model = await startModelServer(async ({ body }) => {
      const { messages } = body as { messages: ModelMessage[] };
      await options.modelWaits?.(messages);
      return script(messages);
    });
    return new Lives(model, options);
  }

  /**
   * The model asks for so many calls of `count` in each turn, told apart by their argument `n` from 1 on, and then is
   * done.
   */
  static async of(turns: readonly number[], options: LivesOptions = {}): Promise<Lives> {
    const script = (messages: readonly ModelMessage[]): ModelReply => {
      const answered = messages.filter(({ role }) => role === 'tool').length;
      const calls = callsOfTurns(turns).find(([first = 0]) => first > answered);
      if (calls === undefined) {
        return reply.text('I have counted all there was, as you asked me to do.', { pieces: 5, delayMs: 4 });
      }
      const wanted = calls.map((n) => ({ id: `call_${n}`, name: 'count', arguments: { n } }));
      return reply.toolCalls(wanted, { text: 'Let me count.', pieces: 4, delayMs: 2 });
    };
    return Lives.with(script, options);
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

  /** The `requestState` of every call that reached the tool and had one. */
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

  /** True where a file of the data folder has this text in it, as it is. */
  holds(text: string): boolean {
    const folder = this.#file('data');
    return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
    );
  }

  /** The failpoints passed in all lives. */
  get passed(): string[] {
    return this.#lines('passed');
  }

  /** What was wrong with the history of any request the model was sent. */
  get faults(): string[] {
    return this.#model.requests.filter(({ method }) => method === 'POST').flatMap(({ body }) => faultsOf(body));
  }

  /** Tools that wait for a file get it. */
  letToolsGoOn(): void {
    writeFileSync(this.#file('go-on'), '');
  }

  /** Calls are stored as sent, and not made until they are let go. */
  holdCalls(): void {
    writeFileSync(this.#file('held'), '');
  }

  letCallsGo(): void {
    rmSync(this.#file('held'));
  }

  /** Starts the server; resolves when it answers. */
  async start(death?: Death, role?: NonNullable<ServerOptions['role']>): Promise<Life> {
    const { database, everyCall, askUser, leaseMs, tools = 'counting', others = [] } = this.#options;
    const env = { [COUNT_FILE_VARIABLE]: this.#file('count'), [LOG_FILE_VARIABLE]: this.#file('log') };
    const behaviour = typeof tools === 'function' ? tools(this.#file('go-on')) : tools;
    const counter = { id: 'counter', transport: { type: 'stdio', ...scriptedMcpCommand(behaviour), env } };
    const child = spawn(
      process.execPath,
      [
        ...['--disable-warning=ExperimentalWarning', ...programArgs(DYING), this.#file('data'), '0'],
        ...[
          JSON.stringify([counter, ...others]),
          ...(death ? [death.place, String(death.hit), death.after ?? ''] : []),
        ],
      ],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          HOME: this.#folder,
          OPENAI_BASE_URL: this.#model.url,
          OPENAI_API_KEY: 'k',
          PASSED_FILE: this.#file('passed'),
          HELD_FILE: this.#file('held'),
          ...(database && { DATABASE_URL: database.url, TOOLYARD_SECRET: 'a secret of the test' }),
          ...(database?.notify === false && { DATABASE_NOTIFY: 'off' }),
          ...(role === undefined ? {} : { TOOLYARD_ROLE: role }),
          ...(everyCall === true && { EVERY_CALL: '1' }),
          ...(askUser === true && { ASK_USER: '1' }),
          ...(leaseMs !== undefined && { LEASE_MS: String(leaseMs) }),
          ...COMPILED_ONCE,
        },
      },
    );
    this.#children.push(child);
    const over = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
    const line = await Promise.race([
      once(child.stdout, 'data').then(([data]) => String(data)),
      over.then((signal) => Promise.reject(new Error(`the server ended by ${String(signal)} before it answered`))),
    ]);
    return { url: line.trim(), over, kill: () => void child.kill('SIGKILL'), signal: (name) => void child.kill(name) };
  }

  /** What is wrong with the data folder; empty where nothing is. */
  async damage(): Promise<string[]> {
    const { database } = this.#options;
    const checked = await (database ? checkDatabase(database) : checkStorage(this.dataDir));
    return checked.ok ? [] : checked.problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    await this.#model.close();
    // Tools of a server that was killed may still write for a moment.
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

async function checkDatabase({ url }: LivesDatabase): Promise<CheckResult> {
  const storage = await openStorage({ url, clock: systemClock });
  try {
    return await storage.check();
  } finally {
    await storage.close();
  }
}
