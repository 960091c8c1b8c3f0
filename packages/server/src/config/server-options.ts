import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';
import { faultOfToken } from '../access-token.ts';
import { readAllowList } from '../proxy/allow-list.ts';
import { checkRole, roleCapabilities } from '../roles/role.ts';
import type { FileFlags, GivenFlags, ResolvedFlags, ServeFlag } from './serve-flags.ts';
import { serveFlags } from './serve-flags.ts';

/** How a server is started: the flags of `toolyard serve`, and what only its caller knows. */
export type ServerOptions = GivenFlags & {
  /** An absolute path. */
  dataDir: string;
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

/** The options with the configuration file and the defaults merged into them. */
export type ServerSettings = ServerOptions & ResolvedFlags;

/**
 * Merges options, configuration file and defaults, in this order of precedence.
 *
 * @throws ToolyardError `bad_config` for settings that no server can be started with
 */
export function resolveOptions(given: ServerOptions, file: FileFlags = {}): ServerSettings {
  const settings = { ...given, ...resolveFlags(given, file) };
  checkSettings(settings);
  return settings;
}

function resolveFlags(given: GivenFlags, file: FileFlags): ResolvedFlags {
  const values: Readonly<Record<string, unknown>> = given;
  const fileValues: Readonly<Record<string, unknown>> = file;
  const resolved = serveFlags().flatMap(([name, flag]) => {
    const layers = ['default' in flag ? flag.default : undefined, fileValues[name], values[name]];
    const value = mergeLayers(
      flag,
      layers.filter((layer) => layer !== undefined),
    );
    return flag.commandOnly || value === undefined ? [] : [[name, value]];
  });
  // The table, of which both the type and these entries are made, has exactly these names.
  return Object.fromEntries(resolved) as ResolvedFlags;
}

/** Lists and objects are merged; of other values the last one counts. */
function mergeLayers({ kind }: ServeFlag, layers: readonly unknown[]): unknown {
  if (kind === 'list') return layers.flat();
  return kind === 'json' ? Object.assign({}, ...layers) : layers.at(-1);
}

function checkSettings(settings: ServerSettings): void {
  const { dataDir, databaseUrl, blobsUrl, host, port, role, token, allowHosts, proxyAllow } = settings;
  checkRole(role, databaseUrl);
  if (settings.internalUrl !== undefined) checkInternalUrl(settings.internalUrl);
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
  if (token === undefined && databaseUrl !== undefined && roleCapabilities(role).door) {
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
