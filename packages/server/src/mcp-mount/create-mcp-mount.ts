import type { AuthInfo, McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { Clock } from '@toolyard/protocol';
import { defined, systemClock } from '@toolyard/protocol';
import { LegacySessions } from './legacy-sessions.ts';
import { readMessage } from './read-message.ts';
import { INTERNAL_ERROR, refuse } from './refusals.ts';
import { authorizeClient } from './authorize-client.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const MAX_BODY_BYTES = 4 * 1_024 * 1_024;
const MAX_SESSIONS = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;
const SESSION_IDLE_MS = 30 * 60 * 1_000;

export type McpMountOptions = {
  /**
   * Makes the server anew: for every request of the modern era, for every session of the legacy one. What is to
   * outlive a request is kept outside.
   */
  createServer: (context: McpRequestContext) => McpServer | Promise<McpServer>;
  /**
   * Names this server is called by, each with or without a port; default those of this machine. Null where whoever
   * passes requests on has checked `Host` already.
   */
  allowedHosts?: readonly string[] | null;
  /** Pages of other hosts that may ask, such as `https://app.example`; default none. */
  allowedOrigins?: readonly string[];
  /** True where clients of the modern era are to speak the older one, as with a server that knows no other. */
  legacyOnly?: () => boolean;
  /** Default 4 MiB. */
  maxBodyBytes?: number;
  /** Legacy sessions at a time; default 1,000. The one idle longest gives way, one at work never. */
  maxSessions?: number;
  /** Streams of announcements open to modern clients at a time; default 1,000. */
  maxSubscriptions?: number;
  /** How long a session in which nothing is open is kept, in milliseconds; default half an hour. */
  sessionIdleMs?: number;
  clock?: Pick<Clock, 'after' | 'monotonic'>;
  /** Session ids: nobody may be able to guess one. Default random UUIDs. */
  newSessionId?: () => string;
  /** What went wrong that no client is told. */
  onError?: (error: Error) => void;
};

/** What is known of who asks, by whoever passes the request on. */
export type MountedRequest = {
  /** Handed to the server's handlers. */
  authInfo?: AuthInfo;
  /** Whose request it is; a session is open only to whom it was opened for. */
  owner?: string;
};

export type McpMount = {
  /** Answers one request to the address of the server. Never throws. */
  fetch(request: Request, more?: MountedRequest): Promise<Response>;
  /** Announces changes to all clients that want to hear of them, in either era. */
  readonly announce: {
    toolsChanged(): void;
    promptsChanged(): void;
    resourcesChanged(): void;
    resourceUpdated(uri: string): void;
  };
  /** Legacy sessions that are open. */
  readonly sessionCount: number;
  /** Ends every request, stream and session. */
  close(): Promise<void>;
};

/**
 * Gives a server both eras of Streamable HTTP at one address: 2026-07-28 (stateless, `server/discover`,
 * `subscriptions/listen`), and 2025-11-25 and before (sessions, a stream for what the server says by itself, the rest
 * of a stream that was cut). Refuses requests of pages elsewhere.
 *
 * @example
 * const mount = createMcpMount({ createServer: () => new McpServer({ name: 'mine', version: '1.0.0' }) });
 * app.all('/mcp', (c) => mount.fetch(c.req.raw)); // Hono
 * createServer(getRequestListener((request) => mount.fetch(request))).listen(8000, '127.0.0.1'); // plain Node
 */
export function createMcpMount(options: McpMountOptions): McpMount {
  const { createServer, maxBodyBytes = MAX_BODY_BYTES, onError = () => undefined } = options;
  const door = authorizeClient(
    options.allowedHosts === undefined ? LOOPBACK_NAMES : options.allowedHosts,
    options.allowedOrigins ?? [],
  );
  const modern = createMcpHandler(createServer, {
    legacy: 'reject',
    maxSubscriptions: options.maxSubscriptions ?? MAX_SUBSCRIPTIONS,
    onerror: onError,
  });
  const legacy = new LegacySessions({
    createServer: async (requestInfo, authInfo) =>
      createServer({ era: 'legacy', requestInfo, ...defined({ authInfo }) }),
    clock: options.clock ?? systemClock,
    newId: options.newSessionId ?? (() => crypto.randomUUID()),
    most: options.maxSessions ?? MAX_SESSIONS,
    idleMs: options.sessionIdleMs ?? SESSION_IDLE_MS,
    onError,
  });
  let isClosed = false;

  async function handle(request: Request, { authInfo, owner }: MountedRequest): Promise<Response> {
    if (isClosed) return refuse(503, INTERNAL_ERROR, 'This server is shutting down.');
    if (request.method === 'GET' || request.method === 'DELETE') {
      return legacy.handle(request, undefined, authInfo, owner);
    }
    if (request.method !== 'POST') {
      return refuse(405, INTERNAL_ERROR, 'There is no such method here.', { allow: 'GET, POST, DELETE' });
    }
    const read = await readMessage(request, maxBodyBytes);
    if ('refusal' in read) return read.refusal;
    const parsedBody = read.message;
    const isLegacy = options.legacyOnly?.() === true || (await isLegacyRequest(request, parsedBody));
    if (isLegacy) return legacy.handle(request, parsedBody, authInfo, owner);
    return modern.fetch(request, { parsedBody, ...defined({ authInfo }) });
  }

  return {
    async fetch(request, more = {}) {
      try {
        return door.answer(request) ?? door.open(request, await handle(request, more));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
        return door.open(request, refuse(500, INTERNAL_ERROR, 'Something went wrong in the server.'));
      }
    },
    announce: {
      toolsChanged() {
        modern.notify.toolsChanged();
        legacy.tell('tools');
      },
      promptsChanged() {
        modern.notify.promptsChanged();
        legacy.tell('prompts');
      },
      resourcesChanged() {
        modern.notify.resourcesChanged();
        legacy.tell('resources');
      },
      resourceUpdated(uri) {
        modern.notify.resourceUpdated(uri);
        legacy.tell({ uri });
      },
    },
    get sessionCount() {
      return legacy.size;
    },
    async close() {
      isClosed = true;
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}
