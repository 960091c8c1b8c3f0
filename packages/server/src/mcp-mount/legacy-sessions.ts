import type { AuthInfo, McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { LegacySession } from './legacy-session.ts';
import { REFUSED, SESSION_NOT_FOUND, refuse } from './refusals.ts';

export type LegacySessionsOptions = {
  createServer: (request: Request, authInfo: AuthInfo | undefined) => Promise<McpServer>;
  clock: Pick<Clock, 'after' | 'monotonic'>;
  newId: () => string;
  most: number;
  idleMs: number;
  onError: (error: Error) => void;
};

/** All the clients of 2025-11-25 and before that are connected. */
export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #sessions = new Map<string, LegacySession>();
  #beginning = 0;
  #isClosed = false;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @param message what was posted; undefined for GET and DELETE */
  async handle(
    request: Request,
    message: unknown,
    authInfo: AuthInfo | undefined,
    owner: string | undefined,
  ): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.#sessions.get(id);
      // To anybody else it is as if it did not exist.
      if (session === undefined || session.owner !== owner) {
        return refuse(404, SESSION_NOT_FOUND, 'There is no such session, or no longer. Initialize again.');
      }
      return session.handle(request, message, authInfo);
    }
    if (message === undefined) {
      return refuse(405, REFUSED, 'There is nothing here without a session.', { allow: 'POST' });
    }
    if (!isInitialize(message)) {
      return refuse(400, REFUSED, 'The request belongs to no session: initialize first, and send Mcp-Session-Id.');
    }
    return this.#begin(request, message, authInfo, owner);
  }

  tell(change: Parameters<LegacySession['tell']>[0]): void {
    for (const session of this.#sessions.values()) session.tell(change);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.values()].map((session) => session.end()));
  }

  async #begin(
    request: Request,
    message: unknown,
    authInfo: AuthInfo | undefined,
    owner: string | undefined,
  ): Promise<Response> {
    if (!this.#makeRoom()) {
      return refuse(503, REFUSED, 'This server has as many sessions as it may have. Try again later.', {
        'retry-after': '10',
      });
    }
    const { createServer, clock, newId, idleMs, onError } = this.#options;
    const id = newId();
    this.#beginning++;
    try {
      const server = await createServer(request, authInfo);
      const onEnd = (): void => void this.#sessions.delete(id);
      const session = await LegacySession.begin({ id, owner, server, clock, idleMs, onEnd, onError });
      this.#sessions.set(id, session);
      const response = await session.handle(request, message, authInfo);
      // A client that could not even say hello gets no session to leave behind.
      if (!response.ok || this.#isClosed) await session.end();
      return response;
    } finally {
      this.#beginning--;
    }
  }

  /** The session that has been idle longest gives way to a new one; one at work never does. */
  #makeRoom(): boolean {
    const { most } = this.#options;
    if (this.#sessions.size + this.#beginning < most) return true;
    const idle = [...this.#sessions.values()].filter(({ isBusy }) => !isBusy);
    const [oldest] = idle.sort((one, other) => one.lastUsed - other.lastUsed);
    if (oldest === undefined) return false;
    void oldest.end();
    return true;
  }
}

function isInitialize(message: unknown): boolean {
  const one: unknown = Array.isArray(message) ? message[0] : message;
  return isJsonObject(one) && one['method'] === 'initialize';
}
