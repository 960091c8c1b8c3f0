import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { faultOfToken } from '../access-token.ts';
import { readAllowList } from '../proxy/allow-list.ts';
import type { Role } from '../roles/role.ts';
import { checkRole, dutiesOf } from '../roles/role.ts';

/** How a server is started: flags and environment, already joined. The files of the data folder are read later. */
export type ServerOptions = {
  /** Where everything is kept; an absolute path. */
  dataDir: string;
  /** Conversations, runs and settings are kept in this PostgreSQL database, not in the data folder. */
  databaseUrl?: string;
  /** With a database: files are stored in this bucket, `s3://bucket/prefix?region=...&endpoint=...`. */
  blobsUrl?: string;
  /** False: the processes over one database look for each other's words once a second; default true. */
  databaseNotify?: boolean;
  /** What this process is there for, where several share the database; default `all`. */
  role?: Role;
  /** Where other processes reach this one; default where it listens. */
  internalUrl?: string;
  /** The name or address to listen on; anything but this machine itself needs a token. */
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** At least 16 characters. Null: requests need no token. Absent: that of the data folder, created on first start. */
  token?: string | null;
  /** Further names by which this server is reached, as `name` or `name:port`. */
  allowHosts: readonly string[];
  /** False serves the API without the page. */
  ui: boolean;
  /** What the owner sets for the page, over what the configuration file says. */
  uiSettings: JsonObject;
  /** Whether `GET /metrics` tells how this process fares; default false. */
  metrics?: boolean;
  /** Whether the page may reach MCP servers through this one. */
  uiMcpProxy: boolean;
  /** Where to: origins, and the word `public` for all of the internet; absent, that is all. */
  proxyAllow?: readonly string[];
  /** MCP servers that ship with Toolyard; only these count as built in. */
  builtInServers: readonly ServerConfig[];
  /** Functions of this process that models can call, in groups: each is shown as a built-in server of its id. */
  functionTools?: readonly FunctionToolGroup[];
  /** MCP servers named on the command line. */
  flagServers: readonly ServerConfig[];
  env: Readonly<Record<string, string | undefined>>;
  /** One line for whoever runs the server; no secrets. */
  log: (line: string) => void;
};

/** @throws ToolyardError `bad_config` for what no server can be started with, saying why and what to do. */
export function checkOptions(options: ServerOptions): void {
  const { dataDir, databaseUrl, blobsUrl, host, port, token, allowHosts, proxyAllow } = options;
  checkRole(options.role ?? 'all', options.databaseUrl);
  if (options.internalUrl !== undefined) checkInternalUrl(options.internalUrl);
  if (dataDir.trim() === '') throw bad('The data folder has no name.', 'Give one with --data-dir.');
  if (blobsUrl !== undefined && databaseUrl === undefined) {
    throw bad(
      'TOOLYARD_BLOBS_URL names a bucket, and there is no database that could say what is in it.',
      'Set DATABASE_URL as well, or leave the bucket out: then files lie in the data folder.',
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw bad(`${port} is not a port.`, 'A port is a whole number from 0 to 65535; 0 takes any free one.');
  }
  if (host.trim() === '' || /[\s/]/.test(host)) {
    throw bad(`"${host}" is not a host.`, 'Give a name or an address without http:// and port, such as 127.0.0.1.');
  }
  const fault = typeof token === 'string' ? faultOfToken(token) : null;
  if (fault !== null) {
    throw bad(fault, 'Use letters, digits and signs, no spaces; "openssl rand -base64 24" makes one.');
  }
  if (token === null && !isLoopback(host)) {
    throw bad(
      `Listening on ${host} with --no-token would let everybody on the network use your models, keys and tools.`,
      'Leave --no-token out, or listen on 127.0.0.1.',
    );
  }
  if (token === undefined && databaseUrl !== undefined && dutiesOf(options.role ?? 'all').door) {
    throw bad(
      'With DATABASE_URL several processes share one access token, and none is set.',
      'Set TOOLYARD_TOKEN to the same 16 characters or more for all of them, or start with --no-token.',
    );
  }
  for (const allowed of allowHosts) checkAllowedHost(allowed, '--allow-host');
  readAllowList(proxyAllow);
}

function checkInternalUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.pathname === '/' && url.search === '') return;
  throw bad(
    `"${text}" is no address by which other processes could reach this one.`,
    'Write it as http://10.0.0.5:8710, without a path.',
  );
}

/** True for the names and addresses that only this machine itself can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

/** @throws ToolyardError `bad_config` for what is no `name` or `name:port`; `from` says where it stands. */
export function checkAllowedHost(allowed: string, from: string): void {
  const url = URL.canParse(`http://${allowed}`) ? new URL(`http://${allowed}`) : undefined;
  const isHost = url?.pathname === '/' && url.username === '' && !/[/?#@\s*]/.test(allowed) && allowed !== '';
  if (!isHost) throw bad(`${from}: "${allowed}" is not a host.`, 'Write it as toolyard.example.com, or with a port.');
}

function bad(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}
