import type { McpConnection } from '../connection/connection.ts';
import type { McpSession } from '../connection/mcp-session.ts';
import type { ExtraConnection } from './call-scheduler.ts';

/**
 * An additional connection of a server, for one conversation. Nothing is listed on it, and it is not reopened when
 * lost.
 */
export class ConversationConnection implements ExtraConnection {
  readonly #connection: McpConnection;
  readonly #ready: Promise<void>;
  #isGone = false;
  #isLost = false;

  /**
   * @param make creates the connection
   * @param after what must settle before it connects
   * @param onGone called once, when it could not be opened or was lost
   */
  constructor(make: (onLost: () => void) => McpConnection, after: Promise<unknown>, onGone: () => void) {
    const end = (): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone();
    };
    this.#connection = make(() => {
      this.#isLost = true;
      end();
    });
    this.#ready = after.then(() => this.#connection.connect());
    // The error is delivered to those who await `session()`.
    this.#ready.catch(end);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** True if it was open and the server ended it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Undefined if it is gone. @throws ToolyardError if it cannot be opened */
  async session(): Promise<McpSession | undefined> {
    await this.#ready;
    return this.#connection.session;
  }

  abortCalls(): void {
    this.#connection.abortCalls();
  }

  close(): Promise<void> {
    this.#isGone = true;
    return this.#connection.close();
  }
}
