import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { validConcurrency } from '../host/concurrency.ts';
import { readHosted } from '../hosted/hosted-config.ts';
import { readPlugin } from '../config/plugin-config.ts';
import { readUrl } from '../values/read-url.ts';
import { readSandbox, rejectMisspeltSandbox } from '../config/sandbox-settings.ts';
import type { TransportConfig } from '../types.ts';
import { createConfigError } from '../values/config-error.ts';

/** How a server is reached, as written in its `mcp.json` entry, with variables unresolved. */
export type WrittenTransport =
  | (Omit<Extract<TransportConfig, { type: 'stdio' }>, 'leadsTo'> & { envFile?: string })
  | Exclude<TransportConfig, { type: 'stdio' | 'in-memory' }>;

/** The settings of an entry other than its transport. */
export type EntrySettings = {
  enabled: boolean;
  /** Disabled tools. */
  disabledTools: string[];
  /** If set, the only enabled tools. */
  onlyTools?: string[];
  /** Tools that may run without asking, as some editors allow. */
  allowedTools: string[];
  trusted: boolean;
  callTimeoutMs?: number;
  connectTimeoutMs?: number;
  processes?: 'auto' | 'one';
  maxConcurrentCalls?: number;
};

/** Alternative keys for the same setting in the files of different editors. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;

/**
 * The transport of an `mcp.json` entry, with variables unresolved.
 *
 * @throws ToolyardError `bad_config` beginning with `where`
 * @example
 * const transport = readTransport({ command: 'npx', args: ['-y', 'some-server'] }, '"files"');
 */
export function readTransport(entry: JsonObject, where: string): WrittenTransport {
  const hosted = entry['type'] === 'hosted' ? (entry['hosted'] ?? entry) : entry['hosted'];
  if (hosted !== undefined && entry['command'] === undefined && (hosted === entry || entry['url'] === undefined)) {
    return readHosted(where, hosted, (text) => text);
  }
  if (entry['type'] === 'plugin' && entry['command'] === undefined) return readPlugin(where, entry, (text) => text);
  const kind = readKind(entry, where);
  if (kind === 'stdio') return readProgram(entry, where);
  const key = URL_KEYS.find((name) => entry[name] !== undefined) ?? 'url';
  const url = readText(entry, key, where);
  if (url === undefined) throw createConfigError(`${where} has neither "command" nor "url".`, BOTH_WAYS);
  checkNoUser(url, key, where);
  const headers = readTexts(entry, 'headers', where);
  checkHeaders(headers ?? {}, where);
  return { type: webKind(kind, url, key, where), url, ...defined({ headers }) };
}

/** A URL with credentials is never fetched, and would be displayed with them. */
function checkNoUser(url: string, key: string, where: string): void {
  const read = url.includes('${') ? null : readUrl(url);
  if (read === null || (read.username === '' && read.password === '')) return;
  throw createConfigError(
    `${where}: "${key}" contains a user name or password.`,
    'Remove everything between // and @; put credentials in a header.',
  );
}

/** Rejects headers that cannot be sent. Values, which may be keys, are not repeated. */
function checkHeaders(headers: Readonly<Record<string, string>>, where: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw createConfigError(
        `${where}: ${JSON.stringify(name.slice(0, 80))} is not a valid header name.`,
        'Use letters, digits and hyphens, without spaces.',
      );
    }
    // Blanks and line breaks around a value, which often come with a copied key, are not sent.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, ''))) {
      throw createConfigError(
        `${where}: the value of the header "${name}" contains a character that is not allowed in headers.`,
        'It may contain a line break or a non-ASCII character that was copied with it.',
      );
    }
  }
}

const BOTH_WAYS = 'A local server has a "command" and perhaps "args"; a remote server has a "url".';

type Kind = 'stdio' | 'http' | 'sse' | 'websocket';

const KINDS: Readonly<Record<string, Kind>> = {
  stdio: 'stdio',
  http: 'http',
  streamablehttp: 'http',
  sse: 'sse',
  ws: 'websocket',
  websocket: 'websocket',
};

function readKind(entry: JsonObject, where: string): Kind | undefined {
  const { type, command } = entry;
  if (typeof type !== 'string') return command === undefined ? undefined : 'stdio';
  const kind = KINDS[type.toLowerCase().replace(/[-_ ]/g, '')];
  if (kind === undefined) {
    throw createConfigError(
      `${where}: unknown type ${JSON.stringify(type.slice(0, 40))}.`,
      'Use stdio, http, sse, ws or plugin.',
    );
  }
  return kind;
}

function readProgram(entry: JsonObject, where: string): WrittenTransport {
  const command = readText(entry, 'command', where);
  if (command === undefined || command.trim() === '') throw createConfigError(`${where} has no "command".`, BOTH_WAYS);
  const args = entry['args'] ?? [];
  if (!Array.isArray(args)) throw createConfigError(`${where}: "args" must be a list.`);
  const texts = args.filter((arg) => typeof arg === 'string');
  if (texts.length < args.length) throw createConfigError(`${where}: "args" must contain only strings.`);
  const env = readTexts(entry, 'env', where);
  const envFile = readText(entry, 'envFile', where);
  const cwd = readText(entry, 'cwd', where);
  const sandbox = readSandbox(entry['sandbox'], where);
  rejectMisspeltSandbox(Object.keys(entry), where);
  return {
    type: 'stdio',
    command,
    args: texts,
    ...defined({ env, envFile, cwd, sandbox }),
  };
}

/** The URL implies most of the type; only the older HTTP+SSE must be stated. */
function webKind(kind: Kind | undefined, url: string, key: string, where: string): 'http' | 'sse' | 'websocket' {
  // The value of a variable is unknown here; the type is trusted then.
  if (url.startsWith('${')) return kind === undefined || kind === 'stdio' ? 'http' : kind;
  const protocol = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const isPlain = !url.includes('${') && readUrl(url) === null;
  if (!isPlain && (protocol === 'ws' || protocol === 'wss')) return 'websocket';
  if (isPlain || (protocol !== 'http' && protocol !== 'https')) {
    throw createConfigError(`${where}: "${key}" must be an http or ws URL.`, 'Write it as https://example.com/mcp.');
  }
  if (kind === 'websocket') {
    throw createConfigError(
      `${where}: the type is WebSocket, but "${key}" is not a ws URL.`,
      'Use a URL that begins with ws:// or wss://.',
    );
  }
  return kind === 'sse' ? 'sse' : 'http';
}

/** Reads what it can; a setting of the wrong type is ignored. */
export function readEntrySettings(entry: JsonObject): EntrySettings {
  const disabled = [...readList(entry['disabledTools']), ...readList(entry['excludeTools'])];
  const only = entry['enabledTools'] ?? entry['includeTools'];
  const callTimeoutMs = readMs(entry['callTimeoutMs']);
  const connectTimeoutMs = readMs(entry['connectTimeoutMs']);
  return {
    enabled: entry['disabled'] !== true && entry['enabled'] !== false,
    disabledTools: [...new Set(disabled)],
    ...(Array.isArray(only) ? { onlyTools: readList(only) } : {}),
    allowedTools: [...new Set([...readList(entry['alwaysAllow']), ...readList(entry['autoApprove'])])],
    trusted: entry['trusted'] === true,
    ...defined({ callTimeoutMs, connectTimeoutMs }),
    ...validConcurrency(entry),
  };
}

function readList(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function readMs(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function readText(entry: JsonObject, key: string, where: string): string | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw createConfigError(`${where}: "${key}" must be a string.`);
  return value;
}

function readTexts(entry: JsonObject, key: string, where: string): Record<string, string> | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw createConfigError(`${where}: "${key}" must be an object.`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') throw createConfigError(`${where}: "${key}.${name}" must be a string.`);
      return [name, text];
    }),
  );
}
