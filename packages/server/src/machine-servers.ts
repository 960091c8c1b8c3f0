/**
 * The MCP servers of this machine without a running Toolyard server: those of `mcp.json`, connected on first use.
 * What users enabled or disabled in a running server does not apply.
 * @module
 */
import { join } from 'node:path';
import type { ServerConfig, SignInOptions, SignInResponse } from '@toolyard/mcp-host';
import type { JsonClient, McpSignInStarted } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { McpRouteKey, RouteMethod } from '@toolyard/protocol/schemas';
import { createConflictError } from './errors.ts';
import { createServers } from './mcp/servers.ts';
import { createEntryApprovals } from './mcp/entry-approvals.ts';
import { openMachineApprovals } from './mcp/machine-approvals.ts';
import type { MachineSignInsOptions } from './mcp/machine-sign-ins.ts';
import { openMachineSignIns } from './mcp/machine-sign-ins.ts';
import { createSignInFetches } from './mcp/sign-in-fetches.ts';
import type { Servers } from './mcp/operations.ts';
import { executeOperation, isOperationKey } from './mcp/operations.ts';
import { readRequest } from './mcp/read-operation.ts';

/** The routes about MCP servers. */
export type McpApi = JsonClient<{ signal?: AbortSignal | undefined }, McpRouteKey>;

export type MachineServers = {
  /** The routes of a server, executed in this process for the owner; calls that are checked are not available. */
  api: McpApi;
  /** The URL of the sign-in page; the authorization server redirects the user to `redirectUrl`. */
  signIn(id: string, redirectUrl: string): Promise<McpSignInStarted>;
  /** Finishes the sign-in that the `state` of the redirect identifies. Returns the server id. */
  finishSignIn(response: SignInResponse): Promise<string>;
  /** Connects all enabled servers and waits for them, up to a time limit. */
  connectAll(): Promise<void>;
  /** Disconnects all servers. */
  close(): Promise<void>;
};

const LOCAL_OWNER = { ownerId: 'nobody' };

export type MachineServersOptions = {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  builtIn: readonly ServerConfig[];
  /** Additional servers, such as those of a command line. */
  flags: readonly ServerConfig[];
  log: (line: string) => void;
};

/** The sign-ins of a data folder, for an MCP host that the caller creates. */
export function machineSignIn(options: MachineSignInsOptions): AsyncDisposable & { options: SignInOptions } {
  const store = openMachineSignIns(options);
  const fetches = createSignInFetches();
  return {
    options: { store, fetchFor: (server) => fetches.for(server), introduction: { name: 'Toolyard' } },
    async [Symbol.asyncDispose]() {
      await fetches.close();
      store.close();
    },
  };
}

/** Connects nothing yet. A file that cannot be read is reported in the server list. */
export async function openMachineServers({ dataDir, ...options }: MachineServersOptions): Promise<MachineServers> {
  const { env, log } = options;
  const signIns = openMachineSignIns({ dataDir, env, log });
  const servers = await createServers({
    ...options,
    signIns,
    file: join(dataDir, 'mcp.json'),
    owner: LOCAL_OWNER,
    settings: {
      get: () => Promise.resolve(undefined),
      all: () => Promise.resolve(new Map()),
      set: () => Promise.resolve(),
      remove: () => Promise.resolve(false),
    },
    approvals: createEntryApprovals(openMachineApprovals({ dataDir, env }), {
      pinsExisting: false,
      sharedBy: env['DATABASE_URL'] ? dataDir : undefined,
    }),
    permissions: { list: () => Promise.resolve([]) },
    hub: { changed: () => undefined },
    clock: systemClock,
    eager: false,
  });
  return {
    api: createClient(servers),
    signIn: (id, redirectUrl) =>
      servers.ask('POST /api/mcp/servers/{id}/sign-in', LOCAL_OWNER, { params: { id }, redirectUrl }),
    finishSignIn: (response) => servers.host.finishSignIn(response),
    connectAll: () => servers.connectAll(),
    async close() {
      await servers.close();
      signIns.close();
    },
  };
}

function createClient(servers: Servers): McpApi {
  const context = { servers, calls: { testTool: rejectCall, callFromApp: rejectCall }, principal: LOCAL_OWNER };
  const call =
    (method: RouteMethod) =>
    async (path: string, { signal, ...request }: { signal?: AbortSignal } = {}): Promise<unknown> => {
      const key = `${method} ${path}`;
      if (!isOperationKey(key)) throw new TypeError(`${key} is no operation of MCP servers`);
      // As JSON, which has no undefined members.
      const sent = JSON.parse(JSON.stringify(request)) as object;
      return executeOperation(context, key, readRequest(key, sent), signal);
    };
  const api = { get: call('GET'), post: call('POST'), put: call('PUT'), patch: call('PATCH'), delete: call('DELETE') };
  // The operation of each route has the types of its contract.
  return api as unknown as McpApi;
}

function rejectCall(): Promise<never> {
  const message = 'Only a running Toolyard server can check this call.';
  return Promise.reject(createConflictError(message, 'Start it with "toolyard serve".'));
}
