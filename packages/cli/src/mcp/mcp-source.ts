import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpServerView, McpSignInStarted } from '@toolyard/protocol';
import type { MachineServers, McpServersOfOwner } from '@toolyard/server/machine-servers';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { sanitize } from '../sanitize.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import { allPages } from '../server/all-pages.ts';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';
import { dateServer } from '../servers.ts';

export type McpFlags = {
  /** True without an address: the server of the data folder. */
  server?: string | true;
  token?: string;
  dataDir?: string;
  /** Never asks a running server. */
  alone?: boolean;
  json?: boolean;
};

/** Whom a command deals with: a running Toolyard, or the servers of `mcp.json` started for this command alone. */
export type McpSource = AsyncDisposable &
  McpServersOfOwner & {
    /** Where the servers run, for people. */
    told: string;
    /** Has a person sign in; `finished` when they have, and the server was connected anew. */
    signIn(id: string, options: { port: number; signal: AbortSignal }): Promise<StartedSignIn>;
    signOut(id: string): Promise<unknown>;
    /** Has those that are switched on connected, where nobody else has seen to that. */
    connectAll(): Promise<void>;
  };

type StartedSignIn = McpSignInStarted & { finished: Promise<McpServerView> };

/**
 * The running server that was named, or the one that has the data folder; where there is none, this process alone.
 *
 * @throws ToolyardError where a server was named and does not answer
 */
export async function openSource(io: CommandIo, flags: McpFlags): Promise<McpSource> {
  const client = flags.alone === true ? null : await runningServer(io, flags);
  return client === null ? openAlone({ io, flags }) : atServer(client);
}

/** A server that is not configured anywhere, started for this command. */
export function openAdHoc(io: CommandIo, flags: McpFlags, config: ServerConfig): Promise<McpSource> {
  return openAlone({ io, flags, only: config });
}

async function runningServer(io: CommandIo, flags: McpFlags): Promise<ServerClient | null> {
  const { serverClient } = await import('../server/server-client.ts');
  const { server, token, dataDir } = flags;
  const named = {
    ...(server === undefined || server === true ? {} : { server }),
    ...defined({ token, dataDir }),
  };
  try {
    const client = serverClient(named, io, (input, init) => globalThis.fetch(input, init));
    await client.get('/health');
    return client;
  } catch (thrown) {
    const isMissing =
      thrown instanceof ServerUnreachable || (ToolyardError.isInstance(thrown) && thrown.code === 'bad_config');
    if (server !== undefined || !isMissing) throw thrown;
    return null;
  }
}

async function openAlone(options: { io: CommandIo; flags: McpFlags; only?: ServerConfig }): Promise<McpSource> {
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
  const why = flags.alone === true ? '' : 'no Toolyard is running: ';
  return {
    ...servers,
    signIn: (id, how) => signInAlone(servers, id, how),
    told:
      only === undefined ? `${why}the servers of mcp.json are started for this command` : 'started for this command',
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

/** The person comes back to this command itself. */
async function signInAlone(
  servers: MachineServers,
  id: string,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<StartedSignIn> {
  const { listenForSignIn } = await import('./sign-in-listener.ts');
  const listener = await listenForSignIn(port);
  try {
    // What the server says with its refusal belongs to the sign-in: what it needs, and who signs people in.
    await servers.reconnect(id).catch(() => undefined);
    const started = await servers.signIn(id, listener.redirectUrl);
    const state = new URL(started.url).searchParams.get('state') ?? '';
    const finish = async (): Promise<McpServerView> => {
      try {
        await servers.finishSignIn(await listener.next(state, signal));
      } finally {
        await listener[Symbol.asyncDispose]();
      }
      return servers.reconnect(id);
    };
    return { ...started, finished: finish() };
  } catch (thrown) {
    await listener[Symbol.asyncDispose]();
    throw thrown;
  }
}

function findServer(servers: readonly McpServerView[], id: string): McpServerView {
  const found = servers.find((server) => server.id === id);
  if (found !== undefined) return found;
  throw new ToolyardError({ code: 'not_found', message: `There is no server "${id}".` });
}

function atServer(client: ServerClient): McpSource {
  return {
    told: `the Toolyard at ${client.url}`,
    list: () => client.get('/api/mcp/servers'),
    add: (server) => client.post('/api/mcp/servers', { body: server }),
    configuration: (id) => client.get('/api/mcp/servers/{id}/configuration', { params: { id } }),
    edit: (id, edit) => client.put('/api/mcp/servers/{id}', { params: { id }, body: edit }),
    remove: (id) => client.delete('/api/mcp/servers/{id}', { params: { id } }),
    approval: (id) => client.get('/api/mcp/servers/{id}/approval', { params: { id } }),
    approveEntry: (id, body) => client.post('/api/mcp/servers/{id}/approval', { params: { id }, body }),
    change: (id, body) => client.patch('/api/mcp/servers/{id}', { params: { id }, body }),
    test: (body, signal) => client.post('/api/mcp/test', { body, signal }),
    reconnect: (id) => client.post('/api/mcp/servers/{id}/reconnect', { params: { id } }),
    log: (id, after) => client.get('/api/mcp/servers/{id}/log', { params: { id }, query: { after } }),
    tools: (id) => allPages((query) => client.get('/api/mcp/servers/{id}/tools', { params: { id }, query })),
    call: (id, body, signal) => client.post('/api/mcp/servers/{id}/tools/call', { params: { id }, body, signal }),
    resources: (id) => allPages((query) => client.get('/api/mcp/servers/{id}/resources', { params: { id }, query })),
    templates: (id) =>
      allPages((query) => client.get('/api/mcp/servers/{id}/resources/templates', { params: { id }, query })),
    read: (id, uri, signal) =>
      client.post('/api/mcp/servers/{id}/resources/read', { params: { id }, body: { uri }, signal }),
    prompts: () => client.get('/api/mcp/prompts'),
    getPrompt: (id, body, signal) => client.post('/api/mcp/servers/{id}/prompts/get', { params: { id }, body, signal }),
    complete: (id, body, signal) => client.post('/api/mcp/servers/{id}/complete', { params: { id }, body, signal }),
    async signIn(id, { signal }) {
      const started = await client.post('/api/mcp/servers/{id}/sign-in', { params: { id }, signal });
      const look = async (): Promise<McpServerView> => {
        const { items } = await client.get('/api/mcp/servers');
        return findServer(items, id);
      };
      const { whenSignedIn } = await import('./when-signed-in.ts');
      return { ...started, finished: whenSignedIn(look, signal) };
    },
    signOut: (id) => client.delete('/api/mcp/servers/{id}/sign-in', { params: { id } }),
    connectAll: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
