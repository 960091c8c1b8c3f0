import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import { createConfigError } from '../errors.ts';
import { faultOfToken } from '../access-token.ts';
import { readAllowList } from '../proxy/allow-list.ts';
import { checkRole, roleCapabilities } from '../roles/role.ts';
import type { FileFlags, GivenFlags, ResolvedFlags, ServeFlag } from './serve-flags.ts';
import { serveFlags } from './serve-flags.ts';

/** The options of a server: the flags of `toolyard serve`, and what only its caller can provide. */
export type ServerOptions = GivenFlags & {
  /** An absolute path. */
  dataDir: string;
  /** MCP servers that ship with Toolyard; only these are built in. */
  builtInServers: readonly ServerConfig[];
  /** Functions of this process that models can call, in groups: each appears as a built-in server with its id. */
  functionTools?: readonly FunctionToolGroup[];
  /** The command that prints a sign-in link, shown on the public page; default: `toolyard open`. */
  signInCommand?: string;
  /** Adds the built-in tools that need the server: the web and others. */
  hasServerTools?: boolean;
  /** Generates titles of conversations after the first answer; default: titles are the beginning of the first message. */
  generatesTitles?: boolean;
  /** MCP servers named on the command line. */
  flagServers: readonly ServerConfig[];
  env: Readonly<Record<string, string | undefined>>;
  /** Receives one line for the operator, without secrets. */
  log: (line: string) => void;
};

/** The options with the configuration file and the defaults merged into them. */
export type ServerSettings = ServerOptions & ResolvedFlags;

/**
 * Merges options, configuration file and defaults, in this order of precedence.
 *
 * @throws ToolyardError `bad_config` if no server can start with these settings
 */
export function resolveOptions(options: ServerOptions, file: FileFlags = {}): ServerSettings {
  const settings = { ...options, ...resolveFlags(options, file) };
  checkSettings(settings);
  return settings;
}

function resolveFlags(options: GivenFlags, file: FileFlags): ResolvedFlags {
  const values: Readonly<Record<string, unknown>> = options;
  const fileValues: Readonly<Record<string, unknown>> = file;
  const resolved = serveFlags().flatMap(([name, flag]) => {
    const layers = ['default' in flag ? flag.default : undefined, fileValues[name], values[name]];
    const value = mergeLayers(
      flag,
      layers.filter((layer) => layer !== undefined),
    );
    return flag.commandOnly || value === undefined ? [] : [[name, value]];
  });
  // The table determines both the type and these entries.
  return Object.fromEntries(resolved) as ResolvedFlags;
}

/** Lists and objects are merged; other values override each other. */
function mergeLayers({ kind }: ServeFlag, layers: readonly unknown[]): unknown {
  if (kind === 'list') return layers.flat();
  return kind === 'json' ? Object.assign({}, ...layers) : layers.at(-1);
}

function checkSettings(settings: ServerSettings): void {
  const { dataDir, databaseUrl, blobsUrl, host, port, role, token, allowHosts, proxyAllow } = settings;
  checkRole(role, databaseUrl);
  if (settings.internalUrl !== undefined) checkInternalUrl(settings.internalUrl);
  if (dataDir.trim() === '')
    throw createConfigError('The name of the data folder is empty.', 'Set --data-dir to a folder.');
  if (blobsUrl !== undefined && databaseUrl === undefined) {
    throw createConfigError(
      'TOOLYARD_BLOBS_URL sets a bucket, but without a database nothing records its content.',
      'Set DATABASE_URL as well, or remove TOOLYARD_BLOBS_URL: then files are stored in the data folder.',
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw createConfigError(
      `The port must be an integer from 0 to 65535 (got ${port}).`,
      'Correct --port; 0 chooses a free port.',
    );
  }
  if (host.trim() === '' || /[\s/]/.test(host)) {
    throw createConfigError(
      `The host must be a name or an address (got "${host}").`,
      'Remove http:// and the port, as in 127.0.0.1.',
    );
  }
  const fault = typeof token === 'string' ? faultOfToken(token) : null;
  if (fault !== null) {
    throw createConfigError(
      fault,
      'Use letters, digits and punctuation without spaces; "openssl rand -base64 24" generates one.',
    );
  }
  if (token === null && !isLoopback(host)) {
    throw createConfigError(
      `Listening on ${host} with --no-token would give everyone on the network access to your models, keys and tools.`,
      'Remove --no-token, or listen on 127.0.0.1.',
    );
  }
  if (token === undefined && databaseUrl !== undefined && roleCapabilities(role).web) {
    throw createConfigError(
      'With DATABASE_URL, processes share one access token, but none is set.',
      'Set TOOLYARD_TOKEN to the same value (at least 16 characters) for all of them, or use --no-token.',
    );
  }
  for (const allowed of allowHosts) checkAllowedHost(allowed, '--allow-host');
  if (settings.frameOrigin !== undefined) checkFrameOrigin(settings.frameOrigin, allowHosts);
  if (settings.framePort !== undefined && settings.framePort !== 0 && settings.framePort === port) {
    throw createConfigError(
      `--frame-port ${port} is the port of the page.`,
      'Choose another one; 0 chooses a free one.',
    );
  }
  readAllowList(proxyAllow);
}

function checkInternalUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.pathname === '/' && url.search === '') return;
  throw createConfigError(
    `"${text}" is not a URL at which other processes can reach this one.`,
    'Use a form such as http://10.0.0.5:8710, without a path.',
  );
}

/** Content of a frame must not have the origin of the page, whose cookies and API it could then use. */
function checkFrameOrigin(text: string, allowHosts: readonly string[]): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:\/\/[a-z0-9.-]+(:\d+)?\/?$/i.test(text);
  if (!isOrigin) {
    throw createConfigError(
      `--frame-origin: "${text}" is not an origin for frames.`,
      'Use a form such as https://frames.example.com, without a path.',
    );
  }
  if (allowHosts.some((allowed) => allowed.toLowerCase() === url.host || allowed.toLowerCase() === url.hostname)) {
    throw createConfigError(
      `--frame-origin ${text} is a name of the page as well (--allow-host).`,
      'Use a second host name for frames, which leads to the same server.',
    );
  }
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

/** @throws ToolyardError `bad_config` unless it is `name` or `name:port`; `from`: where it is set. */
export function checkAllowedHost(allowed: string, from: string): void {
  const url = URL.canParse(`http://${allowed}`) ? new URL(`http://${allowed}`) : undefined;
  const isHost = url?.pathname === '/' && url.username === '' && !/[/?#@\s*]/.test(allowed) && allowed !== '';
  if (!isHost)
    throw createConfigError(
      `${from}: "${allowed}" is not a host.`,
      'Use a form such as toolyard.example.com, with or without a port.',
    );
}
