import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpServerView, McpSignInStarted, McpTemplateView } from '@toolyard/protocol';
import type { MachineServers, McpApi } from '@toolyard/server/machine-servers';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { sanitize } from '../sanitize.ts';
import { allPages } from '../server/all-pages.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';
import { dateServer } from '../servers.ts';

export type McpFlags = {
  /** True without a URL: the server of the data folder. */
  server?: string | true;
  token?: string;
  dataDir?: string;
  /** Do not use a running server. */
  standalone?: boolean;
  json?: boolean;
};

/** The MCP servers of a running Toolyard server, or those of `mcp.json`, started for this command. */
export type McpSource = AsyncDisposable & {
  /** Where the servers run, for the user. */
  description: string;
  api: McpApi;
  /** Starts a sign-in. `finished` resolves after the user has signed in and the server has reconnected. */
  signIn(id: string, options: { port: number; signal: AbortSignal }): Promise<StartedSignIn>;
  /** Connects all enabled servers. A running Toolyard server does so by itself. */
  connectAll(): Promise<void>;
};

/** What a command works with. `signal`: aborted by Ctrl-C. */
export type McpContext = { io: CommandIo; source: McpSource; signal: AbortSignal };

type StartedSignIn = McpSignInStarted & { finished: Promise<McpServerView> };

/**
 * Uses the running server of `--server` or of the data folder; if none is running, starts the servers in this process.
 *
 * @throws ToolyardError if the server of `--server` does not answer
 */
export async function openSource(io: CommandIo, flags: McpFlags): Promise<McpSource> {
  const client = flags.standalone === true ? null : await runningServer(io, flags);
  return client === null ? openStandalone({ io, flags }) : atServer(client);
}

/** Starts a server that is not configured, for this command. */
export function openAdHoc(io: CommandIo, flags: McpFlags, config: ServerConfig): Promise<McpSource> {
  return openStandalone({ io, flags, only: config });
}

async function runningServer(io: CommandIo, flags: McpFlags): Promise<ServerClient | null> {
  const { openClient } = await import('../server/on-server.ts');
  const { server, token, dataDir } = flags;
  const serverFlags = {
    ...(server === undefined || server === true ? {} : { server }),
    ...defined({ token, dataDir }),
  };
  try {
    const client = await openClient(io, serverFlags);
    await client.get('/health');
    return client;
  } catch (thrown) {
    const isMissing =
      thrown instanceof ServerUnreachable || (ToolyardError.isInstance(thrown) && thrown.code === 'bad_config');
    if (server !== undefined || !isMissing) throw thrown;
    return null;
  }
}

async function openStandalone(options: { io: CommandIo; flags: McpFlags; only?: ServerConfig }): Promise<McpSource> {
  const { io, flags, only } = options;
  const { openMachineServers } = await import('@toolyard/server/machine-servers');
  const dataDir = dataDirFrom(flags.dataDir, io);
  const servers = await openMachineServers({
    dataDir,
    env: io.env,
    builtIn: only === undefined ? [dateServer()] : [],
    flags: only === undefined ? [] : [only],
    log: (line) => void io.stderr.write(`toolyard: ${sanitize(line)}\n`),
  });
  const reason = flags.standalone === true ? '' : 'no Toolyard server is running: ';
  return {
    api: servers.api,
    connectAll: () => servers.connectAll(),
    signIn: (id, signIn) => signInStandalone(servers, id, signIn),
    description:
      only === undefined
        ? `${reason}starting the servers of mcp.json for this command`
        : 'starting the server for this command',
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

/** Signs in with a redirect URL of this process. */
async function signInStandalone(
  servers: MachineServers,
  id: string,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<StartedSignIn> {
  const { listenForSignIn } = await import('./sign-in-listener.ts');
  const listener = await listenForSignIn(port);
  const reconnect = (): Promise<McpServerView> =>
    servers.api.post('/api/mcp/servers/{id}/reconnect', { params: { id } });
  try {
    // The 401 response names the authorization server and the scopes.
    await reconnect().catch(() => undefined);
    const started = await servers.signIn(id, listener.redirectUrl);
    const state = new URL(started.url).searchParams.get('state') ?? '';
    const finish = async (): Promise<McpServerView> => {
      try {
        await servers.finishSignIn(await listener.next(state, signal));
      } finally {
        await listener[Symbol.asyncDispose]();
      }
      return reconnect();
    };
    return { ...started, finished: finish() };
  } catch (thrown) {
    await listener[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The resource templates of a server; connects it if needed. */
export function listTemplates({ api }: McpSource, id: string): Promise<McpTemplateView[]> {
  return allPages((query) => api.get('/api/mcp/servers/{id}/resources/templates', { params: { id }, query }));
}

function findServer(servers: readonly McpServerView[], id: string): McpServerView {
  const found = servers.find((server) => server.id === id);
  if (found !== undefined) return found;
  throw new ToolyardError({ code: 'not_found', message: `MCP server "${id}" not found.` });
}

function atServer(client: ServerClient): McpSource {
  return {
    description: `using the Toolyard server at ${client.url}`,
    api: client,
    async signIn(id, { signal }) {
      const started = await client.post('/api/mcp/servers/{id}/sign-in', { params: { id }, signal });
      const readServer = async (): Promise<McpServerView> => {
        const { items } = await client.get('/api/mcp/servers');
        return findServer(items, id);
      };
      const { waitForSignIn } = await import('./wait-for-sign-in.ts');
      return { ...started, finished: waitForSignIn(readServer, signal) };
    },
    connectAll: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
