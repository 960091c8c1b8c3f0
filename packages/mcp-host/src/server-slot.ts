import { ToolyardError } from '@toolyard/protocol';
import type { McpConnection } from './connection.ts';
import { closedByUs } from './connection-errors.ts';
import type { ServerConfig } from './types.ts';

/**
 * The place of one configured server. A connection that was left is final: whoever wants this server again gets a
 * fresh one, made when nothing of the old one is left.
 */
export class ServerSlot {
  readonly config: ServerConfig;
  readonly #makeConnection: () => McpConnection;
  #connection: McpConnection;
  #leaving: Promise<void> | undefined;
  #returning: Promise<void> | undefined;
  /** How often it was left: whoever waits to come back and finds it grown is no longer wanted. */
  #departures = 0;

  constructor(config: ServerConfig, makeConnection: () => McpConnection) {
    this.config = config;
    this.#makeConnection = makeConnection;
    this.#connection = makeConnection();
  }

  get connection(): McpConnection {
    return this.#connection;
  }

  /** True while it is not known yet whether an attempt to connect succeeds. */
  get isConnecting(): boolean {
    return this.#returning !== undefined || this.#connection.state === 'connecting';
  }

  /** @throws ToolyardError saying why it failed, or that it was left meanwhile. */
  connect(): Promise<void> {
    if (this.#leaving === undefined) return this.#connection.connect();
    this.#returning ??= this.#return(this.#leaving);
    return this.#returning;
  }

  /** Resolves when nothing of the connection is left. */
  disconnect(): Promise<void> {
    this.#departures++;
    this.#returning = undefined;
    this.#leaving ??= this.#connection.close();
    return this.#leaving;
  }

  async #return(left: Promise<void>): Promise<void> {
    const departures = this.#departures;
    await left;
    if (departures !== this.#departures) throw new ToolyardError(closedByUs(this.config.id));
    this.#leaving = undefined;
    this.#returning = undefined;
    this.#connection = this.#makeConnection();
    await this.#connection.connect();
  }
}
