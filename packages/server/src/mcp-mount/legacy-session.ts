import type { AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { z } from 'zod';
import { SentEvents } from './sent-events.ts';
import { onBodyEnd } from './on-body-end.ts';

/** How long a client waits before it reconnects to a stream that was closed on purpose, in milliseconds. */
const RETRY_MS = 1_000;

const followed = z.looseObject({ uri: z.string().max(4_096) });
/** Maximum number of resource subscriptions of a session. */
const MOST_FOLLOWED = 1_000;

export type LegacySessionOptions = {
  id: string;
  /** Owner of the session: the session id alone gives no access. */
  owner: string | undefined;
  server: McpServer;
  clock: Pick<Clock, 'after' | 'monotonic'>;
  idleMs: number;
  /** Called at most once, however the session ends. */
  onEnd: () => void;
  onError: (error: Error) => void;
};

/**
 * A session of a client of 2025-11-25 or before, from `initialize` to DELETE. It ends by itself when it is idle for
 * long.
 */
export class LegacySession {
  readonly id: string;
  readonly owner: string | undefined;
  /** Monotonic time of the last request. */
  lastUsed: number;
  readonly #options: LegacySessionOptions;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #followed = new Set<string>();
  #open = 0;
  #stopWaiting: () => void = () => undefined;
  #ended: Promise<void> | undefined;

  private constructor(options: LegacySessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.owner = options.owner;
    this.lastUsed = options.clock.monotonic();
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.id,
      eventStore: new SentEvents(),
      retryInterval: RETRY_MS,
    });
  }

  static async begin(options: LegacySessionOptions): Promise<LegacySession> {
    const session = new LegacySession(options);
    session.#serveFollowing();
    await options.server.connect(session.#transport);
    options.server.server.onclose = () => void session.end();
    options.server.server.onerror = options.onError;
    return session;
  }

  /** True while a response or a stream is open. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  async handle(request: Request, parsedBody: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    this.#open++;
    this.#stopWaiting();
    try {
      const response = await this.#transport.handleRequest(request, {
        ...defined({ parsedBody, authInfo }),
      });
      return onBodyEnd(response, () => this.#rest());
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  /** Notifies the client that a list or a subscribed resource has changed. */
  notify(change: 'tools' | 'prompts' | 'resources' | { uri: string }): void {
    const { server, onError } = this.#options;
    const ignored = (error: unknown): void => onError(error instanceof Error ? error : new Error(String(error)));
    if (change === 'tools') server.server.sendToolListChanged().catch(ignored);
    else if (change === 'prompts') server.server.sendPromptListChanged().catch(ignored);
    else if (change === 'resources') server.server.sendResourceListChanged().catch(ignored);
    else if (this.#followed.has(change.uri)) server.server.sendResourceUpdated(change).catch(ignored);
  }

  /** Ends the session and its streams. Idempotent. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#stopWaiting();
    this.#options.onEnd();
    await this.#options.server.close();
  }

  #rest(): void {
    this.lastUsed = this.#options.clock.monotonic();
    if (--this.#open > 0 || this.#ended !== undefined) return;
    this.#stopWaiting = this.#options.clock.after(this.#options.idleMs, () => void this.end());
  }

  /** The SDK leaves resource subscriptions to servers; handlers of the server are kept. */
  #serveFollowing(): void {
    const { server } = this.#options.server;
    if (server.getCapabilities().resources?.subscribe !== true) return;
    try {
      server.assertCanSetRequestHandler('resources/subscribe');
    } catch {
      return;
    }
    server.setRequestHandler('resources/subscribe', { params: followed }, ({ uri }) => {
      if (this.#followed.size < MOST_FOLLOWED) this.#followed.add(uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', { params: followed }, ({ uri }) => {
      this.#followed.delete(uri);
      return {};
    });
  }
}
