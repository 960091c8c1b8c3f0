import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError } from '@toolyard/protocol';
import { validConcurrency } from '../host/concurrency.ts';
import type { HostedConfig } from '../hosted/hosted-config.ts';
import { readHosted } from '../hosted/hosted-config.ts';
import { readUrl } from '../values/read-url.ts';
import type { SandboxSettings } from '../host/sandbox-settings.ts';
import { readSandbox, rejectMisspeltSandbox } from '../host/sandbox-settings.ts';

/** How a server is reached as its entry in an `mcp.json` has it, nothing filled in. */
export type WrittenTransport =
  | {
      type: 'stdio';
      command: string;
      args?: string[];
      env?: Record<string, string>;
      envFile?: string;
      cwd?: string;
      /** Absent: without a sandbox, as entries of earlier versions are. */
      sandbox?: SandboxSettings | false;
    }
  | { type: 'http' | 'sse' | 'websocket'; url: string; headers?: Record<string, string> }
  | HostedConfig;

/** What an entry says beside how the server is reached. */
export type ServerSwitches = {
  enabled: boolean;
  /** Tools that are switched off. */
  disabledTools: string[];
  /** Where the file names the only tools that are on. */
  onlyTools?: string[];
  /** Tools that may run without asking, as some editors let one write. */
  allowedTools: string[];
  trusted: boolean;
  callTimeoutMs?: number;
  connectTimeoutMs?: number;
  processes?: 'auto' | 'one';
  maxConcurrentCalls?: number;
};

/** The names under which the same thing stands in the files of different editors. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;

/** @throws ToolyardError `bad_config` beginning with `where` */
export function readTransport(entry: JsonObject, where: string): WrittenTransport {
  const hosted = entry['type'] === 'hosted' ? (entry['hosted'] ?? entry) : entry['hosted'];
  if (hosted !== undefined && entry['command'] === undefined && (hosted === entry || entry['url'] === undefined)) {
    return readHosted(where, hosted, (text) => text);
  }
  const kind = kindOf(entry, where);
  if (kind === 'stdio') return readProgram(entry, where);
  const key = URL_KEYS.find((name) => entry[name] !== undefined) ?? 'url';
  const url = textOf(entry, key, where);
  if (url === undefined) throw bad(`${where} has neither "command" nor "url".`, BOTH_WAYS);
  checkNoUser(url, key, where);
  const headers = textsOf(entry, 'headers', where);
  checkHeaders(headers ?? {}, where);
  return { type: webKind(kind, url, key, where), url, ...defined({ headers }) };
}

/** Such an address is nowhere fetched, and would be shown wherever the address is. */
function checkNoUser(url: string, key: string, where: string): void {
  const read = url.includes('${') ? null : readUrl(url);
  if (read === null || (read.username === '' && read.password === '')) return;
  throw bad(
    `${where}: "${key}" has a user name or password in it.`,
    'Leave out everything between // and @; a sign-in belongs in a header.',
  );
}

/** What a request could not be made with. Values, which may be keys, are not repeated. */
function checkHeaders(headers: Readonly<Record<string, string>>, where: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw bad(
        `${where}: ${JSON.stringify(name.slice(0, 80))} cannot be the name of a header.`,
        'Such a name has letters, digits and hyphens, and no spaces.',
      );
    }
    // Blanks and line breaks around a value are not sent, and often come along with a copied key.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, ''))) {
      throw bad(
        `${where}: the header "${name}" holds a character that cannot be sent in a header.`,
        'A line break or a character of another script may have come along when it was copied.',
      );
    }
  }
}

const BOTH_WAYS = 'A program has a "command" and perhaps "args"; a server elsewhere has a "url".';

type Kind = 'stdio' | 'http' | 'sse' | 'websocket';

const KINDS: Readonly<Record<string, Kind>> = {
  stdio: 'stdio',
  http: 'http',
  streamablehttp: 'http',
  sse: 'sse',
  ws: 'websocket',
  websocket: 'websocket',
};

function kindOf(entry: JsonObject, where: string): Kind | undefined {
  const { type, command } = entry;
  if (typeof type !== 'string') return command === undefined ? undefined : 'stdio';
  const kind = KINDS[type.toLowerCase().replace(/[-_ ]/g, '')];
  if (kind === undefined) {
    throw bad(`${where}: there is no type ${JSON.stringify(type.slice(0, 40))}.`, 'Known are stdio, http, sse and ws.');
  }
  return kind;
}

function readProgram(entry: JsonObject, where: string): WrittenTransport {
  const command = textOf(entry, 'command', where);
  if (command === undefined || command.trim() === '') throw bad(`${where} has no "command".`, BOTH_WAYS);
  const args = entry['args'] ?? [];
  if (!Array.isArray(args)) throw bad(`${where}: "args" is not a list.`);
  const texts = args.filter((arg) => typeof arg === 'string');
  if (texts.length < args.length) throw bad(`${where}: "args" holds something that is not a text.`);
  const env = textsOf(entry, 'env', where);
  const envFile = textOf(entry, 'envFile', where);
  const cwd = textOf(entry, 'cwd', where);
  const sandbox = readSandbox(entry['sandbox'], where);
  rejectMisspeltSandbox(Object.keys(entry), where);
  return {
    type: 'stdio',
    command,
    args: texts,
    ...defined({ env, envFile, cwd, sandbox }),
  };
}

/** The address tells most of it; only that a server knows nothing but the older HTTP+SSE must be said. */
function webKind(kind: Kind | undefined, url: string, key: string, where: string): 'http' | 'sse' | 'websocket' {
  // What a variable will say is not known yet; the type is believed then.
  if (url.startsWith('${')) return kind === undefined || kind === 'stdio' ? 'http' : kind;
  const protocol = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const isPlain = !url.includes('${') && readUrl(url) === null;
  if (!isPlain && (protocol === 'ws' || protocol === 'wss')) return 'websocket';
  if (isPlain || (protocol !== 'http' && protocol !== 'https')) {
    throw bad(`${where}: "${key}" is not an http or ws address.`, 'Write it as https://example.com/mcp.');
  }
  if (kind === 'websocket') {
    throw bad(
      `${where}: the type says WebSocket, and "${key}" is no ws address.`,
      'Such an address begins with ws:// or wss://.',
    );
  }
  return kind === 'sse' ? 'sse' : 'http';
}

/** Reads what it can: a switch of the wrong form is as good as none. */
export function readSwitches(entry: JsonObject): ServerSwitches {
  const disabled = [...listOf(entry['disabledTools']), ...listOf(entry['excludeTools'])];
  const only = entry['enabledTools'] ?? entry['includeTools'];
  const callTimeoutMs = msOf(entry['callTimeoutMs']);
  const connectTimeoutMs = msOf(entry['connectTimeoutMs']);
  return {
    enabled: entry['disabled'] !== true && entry['enabled'] !== false,
    disabledTools: [...new Set(disabled)],
    ...(Array.isArray(only) ? { onlyTools: listOf(only) } : {}),
    allowedTools: [...new Set([...listOf(entry['alwaysAllow']), ...listOf(entry['autoApprove'])])],
    trusted: entry['trusted'] === true,
    ...defined({ callTimeoutMs, connectTimeoutMs }),
    ...validConcurrency(entry),
  };
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function msOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function textOf(entry: JsonObject, key: string, where: string): string | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw bad(`${where}: "${key}" is not a text.`);
  return value;
}

function textsOf(entry: JsonObject, key: string, where: string): Record<string, string> | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw bad(`${where}: "${key}" is not an object.`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') throw bad(`${where}: "${key}.${name}" is not a text.`);
      return [name, text];
    }),
  );
}

function bad(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}
