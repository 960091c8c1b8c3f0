import type { McpConnection } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import type { ExtraConnection } from './call-scheduler.ts';

/**
 * A connection of a server for one conversation, beside the first one. It has one life: nothing is listed on it, and one
 * that is lost is not opened again.
 */
export class ConversationConnection implements ExtraConnection {
  readonly #connection: McpConnection;
  readonly #ready: Promise<void>;
  #isGone = false;
  #isLost = false;

  /**
   * @param make a fresh connection, which tells when it is lost
   * @param after what has to be over before it connects
   * @param onGone called once, when it could not be opened or is lost
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
    // Whoever waits for it is told why.
    this.#ready.catch(end);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** True where it stood and ended by itself. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Undefined where it is gone again. @throws ToolyardError where it cannot be opened */
  async session(): Promise<Session | undefined> {
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
