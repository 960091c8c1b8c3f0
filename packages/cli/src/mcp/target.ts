import { resolve } from 'node:path';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpSandbox as SandboxSettings, McpTransport } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { serverFromFlag } from '../servers.ts';

/** How a server is reached, as flags say it. */
export type TargetFlags = {
  header: string[];
  env: string[];
  cwd?: string;
  /** False with `--no-sandbox`. */
  sandbox?: boolean;
  read?: string[];
  write?: string[];
  /** `on`, `off`, or hosts with commas between. */
  network?: string;
  sse?: boolean;
  ws?: boolean;
  /** `service:server` */
  hosted?: string;
  apiKey?: string;
  user?: string;
};

/** Where the key of a service is looked for, if none is given. */
const HOSTED_KEY = '${env:KLAVIS_API_KEY}';

/** How a server is reached: by what the words say, or `--hosted`. @throws ToolyardError for what is neither */
export function transportOf(words: readonly string[], flags: TargetFlags): McpTransport {
  const { hosted, apiKey = HOSTED_KEY, user } = flags;
  if (hosted === undefined) {
    if (words.length === 0) throw bad('Say how it is reached: an address, or behind -- a program and its arguments.');
    if (flags.apiKey !== undefined || user !== undefined) throw bad('--api-key and --user are for --hosted.');
    return transportFrom(serverFromWords(words, flags));
  }
  if (words.length > 0) throw bad('A hosted server has neither an address nor a command.');
  const [service, ...name] = hosted.split(':');
  const server = name.join(':');
  if (service !== 'klavis' || server === '') throw bad('--hosted takes klavis:<server>, such as klavis:Gmail.');
  return { type: 'hosted', service, server, apiKey, ...defined({ user }) };
}

/**
 * A server from the words of a command line: one address, one command line with quotes, or a program and its
 * arguments, which are taken as they are.
 *
 * @throws ToolyardError for what is neither
 */
export function serverFromWords(words: readonly string[], flags: TargetFlags): ServerConfig {
  const [first = '', ...rest] = words;
  const server: ServerConfig =
    rest.length === 0
      ? serverFromFlag(first)
      : { id: serverFromFlag(quoted(words)).id, transport: { type: 'stdio', command: first, args: rest } };
  const { transport } = server;
  if (transport.type === 'stdio') {
    if (flags.header.length > 0) throw bad('--header is for a server with an address; a program takes --env.');
    if (flags.sse === true || flags.ws === true) throw bad('--sse and --ws are for a server with an address.');
    const env = pairs(flags.env, '--env', '=');
    return {
      ...server,
      transport: {
        ...transport,
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ...defined({ cwd: flags.cwd }),
        ...sandboxOf(flags),
      },
    };
  }
  if (transport.type === 'in-memory' || transport.type === 'hosted') return server;
  if (Object.keys(sandboxOf(flags)).length > 0) {
    throw bad('--no-sandbox, --read, --write and --network are for a program.');
  }
  if (flags.env.length > 0 || flags.cwd !== undefined) {
    throw bad('--env and --cwd are for a program; a server with an address takes --header.');
  }
  const headers = pairs(flags.header, '--header', ':');
  const url = flags.ws === true ? transport.url.replace(/^http/, 'ws') : transport.url;
  const type = flags.sse === true ? 'sse' : flags.ws === true ? 'websocket' : transport.type;
  return { ...server, transport: { type, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) } };
}

/** Without these flags nothing is said, and a new server is sandboxed. */
function sandboxOf({ sandbox, read = [], write = [], network }: TargetFlags): { sandbox?: SandboxSettings | false } {
  const settings: SandboxSettings = {
    ...(read.length === 0 ? {} : { read: read.map((path) => resolve(path)) }),
    ...(write.length === 0 ? {} : { write: write.map((path) => resolve(path)) }),
    ...(network === undefined ? {} : { network: network === 'on' || network === 'off' ? network : network.split(',') }),
  };
  const isEmpty = Object.keys(settings).length === 0;
  if (sandbox !== false) return isEmpty ? {} : { sandbox: settings };
  if (!isEmpty) throw bad('--no-sandbox leaves nothing for --read, --write and --network to allow.');
  return { sandbox: false };
}

/** The same as it goes over the API. */
function transportFrom(server: ServerConfig): McpTransport {
  const { transport } = server;
  if (transport.type !== 'in-memory' && transport.type !== 'hosted') return transport;
  throw bad('Such a server is not told of by a command or an address: write it into mcp.json.');
}

/** True for what can only be an address or a command line, never the name of a server. */
export function isTarget(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[\s/\\]/.test(text);
}

/** `name: value` and `name=value` as an object. */
export function pairs(texts: readonly string[], flag: string, sign: ':' | '='): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      const form = sign === ':' ? '"Name: value"' : 'NAME=value';
      throw bad(`${flag} takes ${form}, and ${JSON.stringify(text)} is none.`);
    }),
  );
}

/** Only for the name that is made of it. */
function quoted(words: readonly string[]): string {
  return words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');
}

function bad(message: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message });
}
