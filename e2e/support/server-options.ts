import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { ServerOptions, ServerOverrides } from '@toolyard/server';

/** Generous timeouts: nothing is lost if the machine or another process is slow. */
export const LONG_TIMEOUTS: ServerOverrides = { connectWaitMs: 60_000, lastCallsMs: 60_000 };

/** A server without a page on this machine, with only these MCP servers. */
export function serverOptions(of: {
  dataDir: string;
  databaseUrl?: string;
  databaseNotify?: boolean;
  role?: NonNullable<ServerOptions['role']>;
  port?: number;
  builtInServers?: ServerConfig[];
  functionTools?: FunctionToolGroup[];
  servers?: ServerConfig[];
  env?: NodeJS.ProcessEnv;
  metrics?: boolean;
  log?: (line: string) => void;
}): ServerOptions {
  return {
    dataDir: of.dataDir,
    ...(of.databaseUrl === undefined ? {} : { databaseUrl: of.databaseUrl }),
    databaseNotify: of.databaseNotify ?? true,
    ...(of.role === undefined ? {} : { role: of.role }),
    host: '127.0.0.1',
    token: null,
    port: of.port ?? 0,
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    builtInServers: of.builtInServers ?? [],
    functionTools: of.functionTools ?? [],
    flagServers: of.servers ?? [],
    metrics: of.metrics ?? false,
    env: of.env ?? {},
    log: of.log ?? (() => {}),
  };
}
