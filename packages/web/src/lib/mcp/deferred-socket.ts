import type { WebSocketLike } from '@toolyard/mcp-host';

type Events = { open: undefined; error: undefined; message: { data: unknown }; close: { code: number } };
type Listener = (event: never) => void;

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** The close code of a socket that ended without a close frame (1006). */
const ABNORMAL = 1006;

/** Controls of a socket that is opened elsewhere or later. */
export type SocketPort = { send(text: string): void; close(code?: number): void };

/** A WebSocket for callers that need one at once, before it is known how the server is reached. */
export class DeferredSocket implements WebSocketLike {
  readyState = CONNECTING;
  protocol = '';
  readonly #listeners = new Map<keyof Events, Listener[]>();
  #port: SocketPort | undefined;

  /** The socket to use. */
  attach(port: SocketPort): void {
    if (this.readyState === CLOSED) port.close();
    else this.#port = port;
  }

  opened(protocol: string): void {
    if (this.readyState !== CONNECTING) return;
    this.protocol = protocol;
    this.readyState = OPEN;
    this.#emit('open', undefined);
  }

  received(data: unknown): void {
    if (this.readyState === OPEN) this.#emit('message', { data });
  }

  ended(code = ABNORMAL): void {
    if (this.readyState === CLOSED) return;
    const wasOpen = this.readyState === OPEN;
    this.readyState = CLOSED;
    if (!wasOpen) this.#emit('error', undefined);
    this.#emit('close', { code });
  }

  send(text: string): void {
    this.#port?.send(text);
  }

  close(code?: number): void {
    this.#port?.close(code);
    this.ended(code);
  }

  addEventListener<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  #emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}
