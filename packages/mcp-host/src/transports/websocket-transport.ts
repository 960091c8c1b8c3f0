import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson, say } from '@toolyard/protocol';
import { MESSAGES_PER_TURN, rest } from './pacing.ts';
import { messagesIn } from './received-messages.ts';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { webAddress } from './web-url.ts';
import { createConfigError } from '../values/config-error.ts';

const SUBPROTOCOL = 'mcp';
const OPEN = 1;
const CLOSED = 3;

/** The members of the platform's WebSocket that are used here. */
export type WebSocketLike = {
  readonly readyState: number;
  /** The subprotocol the server selected. */
  readonly protocol: string;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
};

/**
 * Opens a WebSocket, the platform's own or a guarded one. A failure to connect is an event of the socket, or a
 * ToolyardError with the reason.
 */
export type OpenWebSocket = (
  url: URL,
  options: { protocols: string[]; headers: Record<string, string> },
) => WebSocketLike;

/**
 * The platform's own WebSocket, as in browsers: without a guard and without headers.
 *
 * @example
 * const createTransport = createWebTransports({ fetch, openWebSocket: platformWebSocket });
 */
export const platformWebSocket: OpenWebSocket = (url, { protocols, headers }) => {
  if (Object.keys(headers).length === 0) return new WebSocket(url, protocols);
  throw createConfigError(
    say`Browsers cannot send headers with a WebSocket.`,
    say`Remove the headers from the configuration of the server, or let the Toolyard server connect to it.`,
  );
};

class WebSocketTransport implements HostTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  end: TransportEnd | undefined;
  noiseLines = 0;

  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #context: TransportContext;
  readonly #open: OpenWebSocket;
  readonly #longest: number;
  #socket: WebSocketLike | undefined;
  #isOver = false;
  /** Messages since other work had its turn. */
  #thisTurn = 0;
  #giveUp: () => void = () => undefined;

  constructor(
    url: URL,
    headers: Record<string, string>,
    context: TransportContext,
    open: OpenWebSocket,
    longest: number,
  ) {
    this.#url = url;
    this.#headers = headers;
    this.#context = context;
    this.#open = open;
    this.#longest = longest;
  }

  async start(): Promise<void> {
    // No await between opening and listening, because a rejection may come at once.
    const socket = this.#open(this.#url, { protocols: [SUBPROTOCOL], headers: this.#headers });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      let isOpen = false;
      const fail = (detail: string): void => {
        if (isOpen) return;
        this.end ??= { kind: 'unreachable', detail };
        reject(new Error('The WebSocket could not be opened.'));
        void this.close();
      };
      this.#giveUp = () => fail('it was closed while connecting');
      socket.addEventListener('open', () => {
        isOpen = socket.protocol === SUBPROTOCOL || socket.protocol === '';
        if (isOpen) resolve();
        else fail('it does not support the subprotocol "mcp"');
      });
      socket.addEventListener('message', ({ data }) => this.#read(data));
      // The standard requires a close event; some runtimes omit it for a socket that never opened.
      socket.addEventListener('error', () => fail('it did not accept a WebSocket'));
      socket.addEventListener('close', ({ code }) => {
        fail('it did not accept a WebSocket');
        this.#over({ kind: 'hung_up', detail: `code ${code}` });
      });
    });
  }

  /** A WebSocket cannot be paused: one that floods is closed, and connected again with the usual waits. */
  #isFlooding(): boolean {
    if (++this.#thisTurn === 1) void rest(this.#context.clock).then(() => (this.#thisTurn = 0));
    return this.#thisTurn > MESSAGES_PER_TURN;
  }

  #read(data: unknown): void {
    if (this.#isOver) return;
    if (this.#isFlooding()) {
      this.#over({ kind: 'hung_up', detail: `after more than ${MESSAGES_PER_TURN} messages at once` });
      this.#socket?.close();
      return;
    }
    if (typeof data === 'string' && data.length > this.#longest) {
      this.#over({ kind: 'line_too_long', limitBytes: this.#longest });
      this.#socket?.close();
      return;
    }
    const parsed = typeof data === 'string' ? parseJson(data) : undefined;
    for (const message of messagesIn(parsed?.ok === true ? parsed.value : undefined)) {
      if (isJsonObject(message) && message['jsonrpc'] === '2.0') {
        this.onmessage?.(message as unknown as JSONRPCMessage);
        continue;
      }
      this.noiseLines++;
      if (this.noiseLines === 1) this.#context.log('warning', 'The server sends messages that are not MCP.');
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (this.#isOver || socket?.readyState !== OPEN) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#giveUp();
    if (this.#socket !== undefined && this.#socket.readyState < CLOSED) this.#socket.close(1_000);
    this.onclose?.();
  }

  #over(end: TransportEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end ??= end;
    this.onclose?.();
  }
}

/**
 * MCP over a WebSocket opened by the given function.
 *
 * @throws ToolyardError `bad_config` if the URL is not ws or wss, or WebSockets are not supported here
 */
export function createWebSocketTransport(
  config: Extract<TransportConfig, { type: 'websocket' }>,
  context: TransportContext,
  open: OpenWebSocket | undefined,
  longestMessage: number,
): HostTransport {
  const url = webAddress('websocket', config.url, context.serverId);
  if (open !== undefined) return new WebSocketTransport(url, config.headers ?? {}, context, open, longestMessage);
  throw createConfigError(
    say`The server "${context.serverId}" uses a WebSocket, which is not supported here.`,
    say`Use Node 22 or newer, or connect over HTTP.`,
  );
}
