import type { AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { z } from 'zod';
import { SentEvents } from './sent-events.ts';
import { onBodyEnd } from './on-body-end.ts';

/** How long a client whose stream was ended on purpose waits before it comes back, in milliseconds. */
const RETRY_MS = 1_000;

const followed = z.looseObject({ uri: z.string().max(4_096) });
/** Resources one session may follow. */
const MOST_FOLLOWED = 1_000;

export type LegacySessionOptions = {
  id: string;
  /** Whose session it is: nobody else is let in by knowing its id. */
  owner: string | undefined;
  server: McpServer;
  clock: Pick<Clock, 'after' | 'monotonic'>;
  idleMs: number;
  /** At most once, whoever ended it. */
  onEnd: () => void;
  onError: (error: Error) => void;
};

/** A client of 2025-11-25 or before, from `initialize` to DELETE. It ends by itself when nothing is asked for long. */
export class LegacySession {
  readonly id: string;
  readonly owner: string | undefined;
  /** When it was last asked for something, on the clock that never runs backwards. */
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

  /** True while an answer or a stream is open. */
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

  /** Tells the client that a list is another now, or a resource it follows. */
  tell(change: 'tools' | 'prompts' | 'resources' | { uri: string }): void {
    const { server, onError } = this.#options;
    const ignored = (error: unknown): void => onError(error instanceof Error ? error : new Error(String(error)));
    if (change === 'tools') server.server.sendToolListChanged().catch(ignored);
    else if (change === 'prompts') server.server.sendPromptListChanged().catch(ignored);
    else if (change === 'resources') server.server.sendResourceListChanged().catch(ignored);
    else if (this.#followed.has(change.uri)) server.server.sendResourceUpdated(change).catch(ignored);
  }

  /** Ends it and whatever is open in it. Safe to repeat. */
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

  /** The SDK leaves following resources to its servers; one that does it itself is left alone. */
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
