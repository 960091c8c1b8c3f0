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
/** Of notification streams of modern clients. */
const MAX_SUBSCRIPTIONS = 1_000;
/** How long an idle session is kept. */
const SESSION_IDLE_MS = 30 * 60 * 1_000;

export type McpMountOptions = {
  /**
   * Creates a server for every request of the modern era, and for every session of the legacy one. State that outlives
   * a request must be kept outside.
   */
  createServer: (context: McpRequestContext) => McpServer | Promise<McpServer>;
  /**
   * Names of this server, each with or without a port; default: those of this machine. Null if the caller has checked
   * `Host`.
   */
  allowedHosts?: readonly string[] | null;
  /** Allowed origins of pages on other hosts, such as `https://app.example`; default: none. */
  allowedOrigins?: readonly string[];
  /** True: clients of the modern era use the legacy one, as with a server that supports no other. */
  legacyOnly?: () => boolean;
  /** Default: 4 MiB. */
  maxBodyBytes?: number;
  /**
   * Maximum number of legacy sessions; default 1,000. A new session replaces the one that was idle longest, but never a
   * busy one.
   */
  maxSessions?: number;
  clock?: Pick<Clock, 'after' | 'monotonic'>;
  /** Receives errors whose details are not sent to clients. */
  onError?: (error: Error) => void;
};

/** Authentication of the request by the caller. */
export type MountedRequest = {
  /** Passed to the handlers of the server. */
  authInfo?: AuthInfo;
  /** Owner of the request; a session is accessible to its owner only. */
  owner?: string;
};

export type McpMount = {
  /** Handles one request to the MCP endpoint. Never throws. */
  fetch(request: Request, more?: MountedRequest): Promise<Response>;
  /** Notifies all subscribed clients of changes, in both eras. */
  readonly announce: {
    toolsChanged(): void;
    promptsChanged(): void;
    resourcesChanged(): void;
    resourceUpdated(uri: string): void;
  };
  /** Number of open legacy sessions. */
  readonly sessionCount: number;
  /** Ends every request, stream and session. */
  close(): Promise<void>;
};

/**
 * Serves both eras of Streamable HTTP at one URL: 2026-07-28 (stateless, `server/discover`, `subscriptions/listen`),
 * and 2025-11-25 and before (sessions, a stream for notifications, resumable streams). Rejects requests of pages of
 * other origins.
 *
 * @example
 * const mount = createMcpMount({ createServer: () => new McpServer({ name: 'mine', version: '1.0.0' }) });
 * app.all('/mcp', (c) => mount.fetch(c.req.raw)); // Hono
 * createServer(getRequestListener((request) => mount.fetch(request))).listen(8000, '127.0.0.1'); // plain Node
 */
export function createMcpMount(options: McpMountOptions): McpMount {
  const { createServer, maxBodyBytes = MAX_BODY_BYTES, onError = () => undefined } = options;
  const authorizer = authorizeClient(
    options.allowedHosts === undefined ? LOOPBACK_NAMES : options.allowedHosts,
    options.allowedOrigins ?? [],
  );
  const modern = createMcpHandler(createServer, {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  });
  const legacy = new LegacySessions({
    createServer: async (requestInfo, authInfo) =>
      createServer({ era: 'legacy', requestInfo, ...defined({ authInfo }) }),
    clock: options.clock ?? systemClock,
    most: options.maxSessions ?? MAX_SESSIONS,
    idleMs: SESSION_IDLE_MS,
    onError,
  });
  let isClosed = false;

  async function handle(request: Request, { authInfo, owner }: MountedRequest): Promise<Response> {
    if (isClosed) return refuse(503, INTERNAL_ERROR, 'This server is shutting down.');
    if (request.method === 'GET' || request.method === 'DELETE') {
      return legacy.handle(request, undefined, authInfo, owner);
    }
    if (request.method !== 'POST') {
      return refuse(405, INTERNAL_ERROR, 'Method not allowed.', { allow: 'GET, POST, DELETE' });
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
        return authorizer.answer(request) ?? authorizer.open(request, await handle(request, more));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
        return authorizer.open(request, refuse(500, INTERNAL_ERROR, 'Internal server error.'));
      }
    },
    announce: {
      toolsChanged() {
        modern.notify.toolsChanged();
        legacy.notifyAll('tools');
      },
      promptsChanged() {
        modern.notify.promptsChanged();
        legacy.notifyAll('prompts');
      },
      resourcesChanged() {
        modern.notify.resourcesChanged();
        legacy.notifyAll('resources');
      },
      resourceUpdated(uri) {
        modern.notify.resourceUpdated(uri);
        legacy.notifyAll({ uri });
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
