import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionTools } from '@toolyard/agent-host';
import type { AuthStore, ServerConfig } from '@toolyard/mcp-host';
import { createMemoryAuthStore } from '@toolyard/mcp-host';
import type {
  Clock,
  McpLogEntry,
  McpServerView,
  McpTransport,
  Owner,
  ResolvedAgentConfiguration,
} from '@toolyard/protocol';
import { defined, systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { McpBehaviour, McpBehaviourName } from '@toolyard/testing';
import { eventually, scriptedMcpCommand } from '@toolyard/testing';
import { afterEach, beforeEach } from 'vitest';
import { resolveAgentConfig } from '../../config/resolve-agent-config.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import { RUN_CONNECT_WAIT_MS } from '../selections.ts';
import { CONNECT_WAIT_MS } from '../server-connections.ts';
import type { ConnectedServers } from '../servers.ts';
import { createServers } from '../servers.ts';
import { EVERYTHING_APPROVED } from './everything-approved.ts';

export const OWNER: Owner = { ownerId: 'owner' };

/** Options of a start besides the content of `mcp.json`. */
type RoomStart = {
  builtIn?: ServerConfig[];
  /** Their servers must be in `builtIn`. */
  functions?: FunctionTools;
  /** Servers that the file disables. */
  off?: readonly string[];
  env?: Record<string, string>;
  clock?: Clock;
  signIns?: AuthStore;
  /** Default: every entry of `mcp.json` is approved; `stored`: as in a server. */
  approvals?: 'stored';
};

/** Runs wait for their servers without a limit: processes start slowly on a busy machine. */
const patientClock: Clock = {
  ...systemClock,
  after: (ms, callback) =>
    systemClock.after(ms === CONNECT_WAIT_MS || ms === RUN_CONNECT_WAIT_MS ? 20 * CONNECT_WAIT_MS : ms, callback),
};

/** The MCP part of a server, with its own data folder. */
export type ServerTestBench = {
  folder: string;
  /** Path of its `mcp.json`. */
  path: string;
  storage: Storage;
  /** All log lines. */
  logged: string[];
  /** The change notifications of the owner, in order: a server id, or undefined for the list. */
  changed: (string | undefined)[];
  /** Closed at the end of the test. */
  open: { close(): Promise<unknown> }[];
  /**
   * Restarts with these servers, given as configurations, as entries of `mcp.json`, or as its whole text. Storage is
   * kept.
   */
  start(
    servers: readonly ServerConfig[] | Record<string, object> | string,
    more?: RoomStart,
  ): Promise<ConnectedServers>;
  viewWhen(id: string, state: McpServerView['state']): Promise<McpServerView>;
  close(): Promise<void>;
};

/** The entries of `mcp.json` for these servers. */
function toEntries(configs: readonly ServerConfig[], off: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    configs.map(({ id, transport: { type, ...how }, ...config }) => [
      id,
      {
        ...(type === 'hosted' ? { hosted: how } : how),
        ...config,
        ...(type === 'sse' ? { type } : {}),
        ...(off.includes(id) ? { disabled: true } : {}),
      },
    ]),
  );
}

function toText(servers: Parameters<ServerTestBench['start']>[0], off: readonly string[]): string {
  if (typeof servers === 'string') return servers;
  const mcpServers = Array.isArray(servers) ? toEntries(servers as readonly ServerConfig[], off) : servers;
  return JSON.stringify({ mcpServers }, null, 2);
}

/** `standard`: default options of a start. */
export async function openServerBench(standard: RoomStart = {}): Promise<ServerTestBench> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-room-'));
  const path = join(folder, 'mcp.json');
  const storage = await openStorage({ folder, clock: systemClock });
  const logged: string[] = [];
  const changed: (string | undefined)[] = [];
  const open: ServerTestBench['open'] = [];
  const log = (line: string): void => void logged.push(line);
  let servers: ConnectedServers | undefined;
  return {
    folder,
    path,
    storage,
    logged,
    changed,
    open,
    async start(initial, more = {}) {
      const {
        builtIn = [],
        off = [],
        env = {},
        clock = patientClock,
        signIns = createMemoryAuthStore(),
        approvals,
        functions,
      } = {
        ...standard,
        ...more,
      };
      await servers?.close();
      writeFileSync(path, toText(initial, off));
      servers = await createServers({
        builtIn,
        file: path,
        flags: [],
        env,
        owner: OWNER,
        settings: storage.settings,
        permissions: storage.permissions,
        ...defined({ functions }),
        ...(approvals === 'stored' ? {} : { approvals: EVERYTHING_APPROVED }),
        secrets: createSecrets({ repository: storage.secrets, clock: systemClock, folder, env: {}, log }),
        signIns,
        hub: { changed: (_owner, _what, id) => void changed.push(id) },
        clock,
        log,
      });
      return servers;
    },
    viewWhen: (id, state) =>
      eventually(
        async () => {
          const view = servers === undefined ? undefined : await findView(servers, id);
          return view?.state === state ? view : undefined;
        },
        { what: `${id} being ${state}` },
      ),
    async close() {
      await servers?.close();
      await Promise.all(open.splice(0).map((one) => one.close()));
      storage.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A bench for each test of a file, closed after the test. */
export function useServerBench(standard?: RoomStart): ServerTestBench {
  const room = {} as ServerTestBench;
  beforeEach(async () => {
    Object.assign(room, await openServerBench(standard));
  });
  afterEach(() => room.close());
  return room;
}

/** A signal that is never aborted. */
export const NEVER_ABORTED = new AbortController().signal;

/** The configuration of a conversation with these servers, without these tools. */
export function selectServers(
  servers: Record<string, boolean> = {},
  disabledTools: string[] = [],
): ResolvedAgentConfiguration {
  return resolveAgentConfig([{ servers, disabledTools }], null);
}

/** The transport of a scripted server for the API. */
export function stdio(behaviour: McpBehaviourName | McpBehaviour): McpTransport {
  // Its script is in this repository, which no sandbox can read.
  return { type: 'stdio', ...scriptedMcpCommand(behaviour), sandbox: false };
}

/** A scripted local server (stdio). */
export function commandServer(id: string, behaviour: McpBehaviourName | McpBehaviour): ServerConfig {
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand(behaviour) } };
}

/** The command of a server that prints its process id, for {@link waitForPid}. */
export function commandWithPid(): { command: string; args: string[] } {
  const { command, args } = scriptedMcpCommand('plain');
  const script = `data:text/javascript,${encodeURIComponent("process.stderr.write('pid ' + process.pid + '\\n')")}`;
  return { command, args: ['--import', script, ...args] };
}

/** A local server that prints its process id, for {@link waitForPid}. */
export function programWithPid(id: string): ServerConfig {
  return { id, transport: { type: 'stdio', ...commandWithPid() } };
}

export async function waitForPid(servers: ConnectedServers, id: string): Promise<number> {
  return eventually(async () => {
    const pidLine = (await findView(servers, id))?.log.findLast(({ text }) => text.startsWith('pid '));
    return pidLine === undefined ? undefined : Number(pidLine.text.slice('pid '.length));
  });
}

export async function findView(servers: ConnectedServers, id: string): Promise<McpServerView | undefined> {
  return (await servers.editable.list(OWNER)).items.find((each) => each.id === id);
}

/** @throws Error if there is no such server */
export async function getView(servers: ConnectedServers, id: string): Promise<McpServerView> {
  const view = await findView(servers, id);
  if (view === undefined) throw new Error(`no server ${id}`);
  return view;
}

/** Resolves when a server has this state; undefined: when it is not in the list. */
export async function waitForState(
  servers: ConnectedServers,
  id: string,
  state: McpServerView['state'] | undefined,
): Promise<void> {
  await eventually(async () => (await findView(servers, id))?.state === state, { what: `${id} ${state}` });
}

/** Resolves when a request with this method was sent to a server. */
export async function waitForRequest(servers: ConnectedServers, id: string, method: string): Promise<void> {
  const isSent = (entry: McpLogEntry): boolean =>
    entry.kind === 'message' && entry.direction === 'sent' && entry.method === method;
  await eventually(
    async () =>
      (await servers.ask('GET /api/mcp/servers/{id}/log', OWNER, { params: { id: id }, query: {} })).items.some(isSent),
    { what: `${method} to ${id}` },
  );
}
