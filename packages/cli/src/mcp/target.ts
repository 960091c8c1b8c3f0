import { resolve } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpSandbox as SandboxSettings, McpTransport } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { serverFromFlag } from '../servers.ts';
import { createRequestError } from '../errors.ts';

/** Flags for the transport of a server. */
export type TargetFlags = {
  header: string[];
  env: string[];
  cwd?: string;
  /** False with `--no-sandbox`. */
  sandbox?: boolean;
  read?: string[];
  write?: string[];
  /** `on`, `off`, or comma-separated hosts. */
  network?: string;
  sse?: boolean;
  ws?: boolean;
  /** `service:server` */
  hosted?: string;
  apiKey?: string;
  user?: string;
  /** The URL is that of a legacy plugin. */
  plugin?: boolean;
};

/** Default of `--api-key`. */
const HOSTED_KEY = '${env:KLAVIS_API_KEY}';

/** The transport of `mcp add`: from `--hosted`, a URL or a command. @throws ToolyardError for any other combination */
export function readTransport(words: readonly string[], flags: TargetFlags): McpTransport {
  const { hosted, apiKey = HOSTED_KEY, user } = flags;
  if (hosted === undefined) {
    if (words.length === 0)
      throw createRequestError(
        'The URL or command of the server is missing. Pass a URL, or "--" and a command with its arguments.',
      );
    if (flags.apiKey !== undefined || user !== undefined)
      throw createRequestError('--api-key and --user require --hosted.');
    const transport = transportFrom(serverFromWords(words, flags));
    return flags.plugin === true ? toPlugin(transport) : transport;
  }
  if (flags.plugin === true) throw createRequestError('--plugin cannot be combined with --hosted.');
  if (words.length > 0) throw createRequestError('--hosted cannot be combined with a URL or command.');
  const [service, ...name] = hosted.split(':');
  const server = name.join(':');
  if (service !== 'klavis' || server === '')
    throw createRequestError(`--hosted must be klavis:<server>, such as klavis:Gmail (got "${hosted}").`);
  return { type: 'hosted', service, server, apiKey, ...defined({ user }) };
}

/** @throws ToolyardError `bad_request` */
function toPlugin(transport: McpTransport): McpTransport {
  if (transport.type === 'http' && transport.headers === undefined) return { type: 'plugin', url: transport.url };
  throw createRequestError('--plugin requires the http URL of a manifest or OpenAPI document, without --header.');
}

/**
 * A server from command line arguments: one URL, one quoted command line, or a command and its arguments.
 *
 * @throws ToolyardError for flags of the other kind of server
 */
export function serverFromWords(words: readonly string[], flags: TargetFlags): ServerConfig {
  const [first = '', ...rest] = words;
  const server: ServerConfig =
    rest.length === 0
      ? serverFromFlag(first)
      : { id: serverFromFlag(quoted(words)).id, transport: { type: 'stdio', command: first, args: rest } };
  const { transport } = server;
  if (transport.type === 'stdio') {
    if (flags.header.length > 0) throw createRequestError('--header requires a URL; use --env for a local server.');
    if (flags.sse === true || flags.ws === true) throw createRequestError('--sse and --ws require a URL.');
    const env = pairs(flags.env, '--env', '=');
    return {
      ...server,
      transport: {
        ...transport,
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ...defined({ cwd: flags.cwd }),
        ...toSandbox(flags),
      },
    };
  }
  if (transport.type === 'in-memory' || transport.type === 'hosted' || transport.type === 'plugin') return server;
  if (Object.keys(toSandbox(flags)).length > 0) {
    throw createRequestError('--no-sandbox, --read, --write and --network require a local server (a command).');
  }
  if (flags.env.length > 0 || flags.cwd !== undefined) {
    throw createRequestError('--env and --cwd require a local server (a command); use --header for a URL.');
  }
  const headers = pairs(flags.header, '--header', ':');
  const url = flags.ws === true ? transport.url.replace(/^http/, 'ws') : transport.url;
  const type = flags.sse === true ? 'sse' : flags.ws === true ? 'websocket' : transport.type;
  return { ...server, transport: { type, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) } };
}

/** Empty without these flags: the default applies, which is a sandbox. */
function toSandbox({ sandbox, read = [], write = [], network }: TargetFlags): { sandbox?: SandboxSettings | false } {
  const settings: SandboxSettings = {
    ...(read.length === 0 ? {} : { read: read.map((path) => resolve(path)) }),
    ...(write.length === 0 ? {} : { write: write.map((path) => resolve(path)) }),
    ...(network === undefined ? {} : { network: network === 'on' || network === 'off' ? network : network.split(',') }),
  };
  const isEmpty = Object.keys(settings).length === 0;
  if (sandbox !== false) return isEmpty ? {} : { sandbox: settings };
  if (!isEmpty) throw createRequestError('--no-sandbox cannot be combined with --read, --write or --network.');
  return { sandbox: false };
}

/** The transport as the API expects it. */
function transportFrom(server: ServerConfig): McpTransport {
  const { transport } = server;
  if (transport.type !== 'in-memory' && transport.type !== 'hosted' && transport.type !== 'plugin') return transport;
  throw createRequestError('This transport cannot be given as a URL or command; add the server to mcp.json.');
}

/** True for a URL or command line; false for what may be the name of a configured server. */
export function isTarget(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[\s/\\]/.test(text);
}

/** Parses `name: value` or `name=value` into an object. */
export function pairs(texts: readonly string[], flag: string, sign: ':' | '='): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      const form = sign === ':' ? '"Name: value"' : 'NAME=value';
      throw createRequestError(`${flag} must be ${form} (got ${JSON.stringify(text)}).`);
    }),
  );
}

/** Only used to derive the name of the server. */
function quoted(words: readonly string[]): string {
  return words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');
}
