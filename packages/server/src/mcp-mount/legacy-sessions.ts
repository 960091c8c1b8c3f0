import type { AuthInfo, McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { LegacySession } from './legacy-session.ts';
import { REFUSED, SESSION_NOT_FOUND, refuse } from './refusals.ts';

export type LegacySessionsOptions = {
  createServer: (request: Request, authInfo: AuthInfo | undefined) => Promise<McpServer>;
  clock: Pick<Clock, 'after' | 'monotonic'>;
  most: number;
  idleMs: number;
  onError: (error: Error) => void;
};

/** All sessions of clients of 2025-11-25 and before. */
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

  /** @param message the posted message; undefined for GET and DELETE */
  async handle(
    request: Request,
    message: unknown,
    authInfo: AuthInfo | undefined,
    owner: string | undefined,
  ): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.#sessions.get(id);
      // For other users the session does not exist.
      if (session === undefined || session.owner !== owner) {
        return refuse(404, SESSION_NOT_FOUND, 'Unknown or expired session. Initialize again.');
      }
      return session.handle(request, message, authInfo);
    }
    if (message === undefined) {
      return refuse(405, REFUSED, 'This method requires a session.', { allow: 'POST' });
    }
    if (!isInitialize(message)) {
      return refuse(400, REFUSED, 'The request has no session: initialize first, then send Mcp-Session-Id.');
    }
    return this.#begin(request, message, authInfo, owner);
  }

  notifyAll(change: Parameters<LegacySession['notify']>[0]): void {
    for (const session of this.#sessions.values()) session.notify(change);
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
      return refuse(503, REFUSED, 'The maximum number of sessions is reached. Try again later.', {
        'retry-after': '10',
      });
    }
    const { createServer, clock, idleMs, onError } = this.#options;
    // Session ids must be unguessable.
    const id = crypto.randomUUID();
    this.#beginning++;
    try {
      const server = await createServer(request, authInfo);
      const onEnd = (): void => void this.#sessions.delete(id);
      const session = await LegacySession.begin({ id, owner, server, clock, idleMs, onEnd, onError });
      this.#sessions.set(id, session);
      const response = await session.handle(request, message, authInfo);
      // A failed initialize leaves no session behind.
      if (!response.ok || this.#isClosed) await session.end();
      return response;
    } finally {
      this.#beginning--;
    }
  }

  /** Ends the session that was idle longest, if any is idle. */
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
