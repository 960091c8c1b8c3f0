import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { isJsonObject } from '@toolyard/protocol';
import { createEraMemory, type EraMemory } from '../../connection/era-memory.ts';
import type { CreateTransport, HostTransport, TransportEnd } from '../../transports/transport.ts';

/** How an in-memory server answers a connection attempt. */
export type PeerBehaviour = 'welcome' | 'unreachable' | 'no_such_command' | 'sign_in' | 'silent';

/** Results by method, which override those of the peer. */
export type Answers = Record<string, (params: Record<string, unknown>) => object>;

/** A server without I/O, whose time is controlled by a fake clock. */
export class MemoryPeer {
  greeting: PeerBehaviour = 'welcome';
  /** How requests are answered after initialization. */
  asked: 'answer' | 'forgotten' | 'sign_in' = 'answer';
  answers: Answers = {};
  capabilities: object = { tools: {} };
  /** The number of connection attempts. */
  attempts = 0;
  readonly received: JSONRPCMessage[] = [];
  readonly #open = new Set<MemoryTransport>();

  readonly createTransport: CreateTransport = () => {
    this.attempts++;
    return new MemoryTransport(this, this.#open);
  };

  /** Every server is remembered as legacy, so that initializing takes one request. */
  readonly eraMemory: EraMemory = {
    ...createEraMemory(),
    get: () => ({ era: 'legacy', at: Number.MAX_SAFE_INTEGER }),
  };

  get openConnections(): number {
    return this.#open.size;
  }

  /** Drops every connection, as a crash does. */
  drop(): void {
    for (const transport of this.#open) transport.drop();
  }

  /** The open connections, in the order they were opened. */
  get connections(): MemoryTransport[] {
    return [...this.#open];
  }

  /** Sends a notification or request to every client. */
  say(message: object): void {
    for (const transport of this.#open) transport.say(message);
  }

  countReceived(method: string): number {
    return this.received.filter((message) => 'method' in message && message.method === method).length;
  }
}

export class MemoryTransport implements HostTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  end: TransportEnd | undefined;
  sessionId: string | undefined;
  /** The messages received on this connection. */
  readonly received: JSONRPCMessage[] = [];
  readonly #peer: MemoryPeer;
  readonly #open: Set<MemoryTransport>;

  constructor(peer: MemoryPeer, open: Set<MemoryTransport>) {
    this.#peer = peer;
    this.#open = open;
  }

  async start(): Promise<void> {
    switch (this.#peer.greeting) {
      case 'welcome':
      case 'silent':
        this.#open.add(this);
        return;
      case 'unreachable':
        this.end = { kind: 'unreachable', detail: 'nobody there' };
        throw new Error('unreachable');
      case 'no_such_command':
        this.end = { kind: 'not_started', reason: 'command_not_found', command: 'none', detail: 'ENOENT' };
        throw new Error('no such command');
      case 'sign_in':
        throw new UnauthorizedError();
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const peer = this.#peer;
    peer.received.push(message);
    this.received.push(message);
    if (!('method' in message) || peer.greeting === 'silent') return;
    if (message.method === 'initialize') this.sessionId = 'session';
    else if ('id' in message && peer.asked === 'sign_in') throw new UnauthorizedError();
    else if ('id' in message && peer.asked === 'forgotten' && message.method === 'tools/call')
      throw createNotFoundError();
    if (!('id' in message)) return;
    const result = this.#answer(message.method, isJsonObject(message.params) ? message.params : {});
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id: message.id, ...result } as JSONRPCMessage));
  }

  #answer(method: string, params: Record<string, unknown>): object {
    const own = this.#peer.answers[method];
    if (own !== undefined) return own(params);
    switch (method) {
      case 'initialize': {
        const serverInfo = { name: 'memory', version: '1.0.0' };
        return { result: { protocolVersion: '2025-11-25', capabilities: this.#peer.capabilities, serverInfo } };
      }
      case 'tools/list':
        return { result: { tools: [{ name: 'go', inputSchema: { type: 'object' } }] } };
      case 'tools/call':
        return { result: { content: [{ type: 'text', text: 'done' }] } };
      default:
        return { error: { code: -32_601, message: 'Method not found' } };
    }
  }

  say(message: object): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  }

  countReceived(method: string): number {
    return this.received.filter((message) => 'method' in message && message.method === method).length;
  }

  drop(): void {
    if (!this.#open.delete(this)) return;
    this.end = { kind: 'hung_up' };
    this.onclose?.();
  }

  async close(): Promise<void> {
    if (!this.#open.delete(this)) return;
    this.onclose?.();
  }
}

function createNotFoundError(): SdkHttpError {
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not found', { status: 404, statusText: 'Not Found' });
}
