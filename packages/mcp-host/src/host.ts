import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock, JsonObject, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { notSent } from './call-failure.ts';
import { McpConnection } from './connection.ts';
import type { EraMemory } from './era-memory.ts';
import { createEraMemory } from './era-memory.ts';
import { ToolIndex } from './tool-index.ts';
import type { CreateTransport } from './transport.ts';
import type { CallToolOptions, IndexedTool, LogEntry, ServerConfig, ServerHealth, ToolHost } from './types.ts';

/** How long closing waits for calls that were stopped to be answered, in milliseconds. */
const FAREWELL_MS = 2_000;

export type McpHostOptions = {
  servers: readonly ServerConfig[];
  createTransport: CreateTransport;
  clock: Clock;
  /** How Toolyard introduces itself to servers. */
  clientInfo: Implementation;
  /** Where the protocol generation of each server is remembered; by default in memory. */
  eraMemory?: EraMemory;
  /** Hears every log line of every server as it is written. */
  log?(serverId: string, entry: LogEntry): void;
};

/**
 * Connects to MCP servers, keeps what they offer in one index, and makes calls. One server's trouble is never
 * another's: it shows in that server's health and nowhere else.
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
  readonly #connections = new Map<string, McpConnection>();
  readonly #listeners = new Set<() => void>();
  readonly #idle = new Set<() => void>();
  #index: ToolIndex | undefined;
  #activeFlows = 0;
  #closing: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    const { createTransport, clock, clientInfo } = options;
    const eraMemory = options.eraMemory ?? createEraMemory();
    this.#clock = clock;
    for (const config of options.servers) {
      checkId(config.id, this.#connections);
      const connection = new McpConnection({
        config,
        createTransport,
        clock,
        clientInfo,
        eraMemory,
        onChange: () => this.#changed(),
        onLog: (entry) => options.log?.(config.id, entry),
      });
      this.#connections.set(config.id, connection);
    }
  }

  /** Calls being made right now. */
  get activeFlows(): number {
    return this.#activeFlows;
  }

  /**
   * Connects every server that is not ready, all at once. Resolves when each is ready or has failed; failures stand
   * in {@link McpHost.health} and are not thrown.
   */
  async connectAll(): Promise<void> {
    if (this.#closing !== undefined) return;
    await Promise.allSettled([...this.#connections.values()].map((connection) => connection.connect()));
  }

  /** Every server, in the configured order. */
  health(): ServerHealth[] {
    return [...this.#connections.values()].map((connection) => connection.health());
  }

  /** Calls back after anything in health or tools has changed; returns what ends that. */
  onChange(listener: () => void): () => void {
    // A listener may be given twice and then stands for two.
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tools(): readonly IndexedTool[] {
    return this.#currentIndex().tools;
  }

  resolve(name: string): IndexedTool | undefined {
    return this.#currentIndex().resolve(name);
  }

  async callTool(tool: ToolReference, args: JsonObject, options?: CallToolOptions): Promise<ToolResult> {
    if (this.#closing !== undefined) return notSent({ code: 'server_closed', message: 'Toolyard is shutting down.' });
    const connection = this.#connections.get(tool.serverId);
    if (connection === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    this.#activeFlows++;
    try {
      return await connection.callTool(tool.name, args, options);
    } finally {
      this.#activeFlows--;
      if (this.#activeFlows === 0) for (const wake of this.#idle) wake();
    }
  }

  /**
   * Takes no more calls, stops those under way (each is answered, its outcome unknown), and leaves all servers at
   * once. Resolves when nothing of them is left; safe to repeat.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const connections = [...this.#connections.values()];
    for (const connection of connections) connection.abortCalls();
    await this.#allAnswered();
    await Promise.allSettled(connections.map((connection) => connection.close()));
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #allAnswered(): Promise<void> {
    if (this.#activeFlows === 0) return;
    await new Promise<void>((resolve) => {
      const callOff = this.#clock.after(FAREWELL_MS, () => wake());
      const wake = (): void => {
        callOff();
        this.#idle.delete(wake);
        resolve();
      };
      this.#idle.add(wake);
    });
  }

  #changed(): void {
    this.#index = undefined;
    for (const listener of this.#listeners) listener();
  }

  #currentIndex(): ToolIndex {
    this.#index ??= new ToolIndex(
      [...this.#connections.values()].map(({ config, tools }) => ({
        serverId: config.id,
        builtIn: config.builtIn === true,
        tools: tools.values(),
      })),
    );
    return this.#index;
  }
}

function checkId(id: string, taken: ReadonlyMap<string, unknown>): void {
  const problem =
    id === '' ? 'is empty' : id.includes('/') ? 'has a slash in it' : taken.has(id) ? 'is used twice' : null;
  if (problem === null) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The server id "${id}" ${problem}.`,
    hint: 'Give every server an id of its own, without slashes.',
  });
}
