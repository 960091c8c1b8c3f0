import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** Transports a browser can use; stdio servers belong to the server of this page. */
export type BrowserTransport = 'http' | 'sse' | 'websocket';

/** An MCP server of this browser only, as stored. */
export type BrowserServerEntry = {
  /** Begins with `browser-`, so that it never equals the id of a server of Toolyard's server. */
  id: string;
  /** Display name. */
  name: string;
  transport: BrowserTransport;
  url: string;
  /** Null: the value is stored for the session of a tab only. */
  headers: Readonly<Record<string, string | null>>;
  /** Connected when the page loads; otherwise only while a conversation enables it. */
  enabled: boolean;
  /** Through `/api/proxy` instead of from the browser itself. */
  useProxy: boolean;
  /** The sign-in outlasts the session of the tab, as the values of its headers do. */
  keepSecrets?: true;
};

/** An invalid entry, stored as it was found. */
export type InvalidEntry = { name: string; reason: string; raw: JsonValue };

export type BrowserServerSettings = { entries: BrowserServerEntry[]; invalidEntries: InvalidEntry[] };

const PREFIX = 'browser-';
const TRANSPORTS: Readonly<Record<BrowserTransport, readonly string[]>> = {
  http: ['http:', 'https:'],
  sse: ['http:', 'https:'],
  websocket: ['ws:', 'wss:'],
};

/** Reads the stored entries. Invalid ones are set aside with the reason and do not affect the others. */
export function parseServerSettings(value: JsonValue): BrowserServerSettings {
  const settings: BrowserServerSettings = { entries: [], invalidEntries: [] };
  for (const [at, raw] of (Array.isArray(value) ? value : []).entries()) {
    const entry = readEntry(raw);
    const reason = typeof entry === 'string' ? entry : repeats(entry, settings.entries);
    if (reason === null && typeof entry !== 'string') settings.entries.push(entry);
    else settings.invalidEntries.push({ name: readName(raw) ?? `#${String(at + 1)}`, reason: reason ?? '', raw });
  }
  return settings;
}

/** Serializes entries for storage, including those set aside. */
export function serverSettingsToKeep({ entries, invalidEntries }: BrowserServerSettings): JsonValue[] {
  return [
    ...entries.map((entry): JsonObject => ({ ...entry, headers: { ...entry.headers } })),
    ...invalidEntries.map(({ raw }) => raw),
  ];
}

/** The entry, or why it is invalid. */
function readEntry(raw: JsonValue): BrowserServerEntry | string {
  if (!isJsonObject(raw)) return 'The entry must be a JSON object.';
  const { id, name, transport, url, headers = {}, enabled = true, useProxy = false, keepSecrets } = raw;
  if (typeof id !== 'string' || !/^browser-[^/\s]+$/.test(id))
    return '`id` must begin with "browser-" and contain no slash or space.';
  if (typeof name !== 'string' || name.trim() === '') return '`name` is missing.';
  if (transport !== 'http' && transport !== 'sse' && transport !== 'websocket') {
    return '`transport` must be http, sse or websocket.';
  }
  const problem = checkServerUrl(url, transport);
  if (problem !== null) return problem;
  if (typeof url !== 'string') return '`url` is missing.';
  const read = readHeaders(headers);
  if (typeof read === 'string') return read;
  if (typeof enabled !== 'boolean' || typeof useProxy !== 'boolean')
    return '`enabled` and `useProxy` must be true or false.';
  return {
    id,
    name: name.trim(),
    transport,
    url,
    headers: read,
    enabled,
    useProxy,
    ...(keepSecrets === true ? { keepSecrets } : {}),
  };
}

/** Why the URL is invalid for this transport; null if it is valid. */
export function checkServerUrl(url: JsonValue | undefined, transport: BrowserTransport): string | null {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return 'The URL is incomplete.';
  if (!TRANSPORTS[transport].includes(parsed.protocol)) {
    return `The URL must begin with ${TRANSPORTS[transport].map((each) => `${each}//`).join(' or ')}.`;
  }
  if (parsed.username !== '' || parsed.password !== '')
    return 'The URL contains a user name or password: use a header instead.';
  return null;
}

function readHeaders(headers: JsonValue): Record<string, string | null> | string {
  if (!isJsonObject(headers)) return '`headers` must be a JSON object.';
  const read: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(headers)) {
    const problem = checkHeader(name, value);
    if (problem !== null) return problem;
    if (value === null || typeof value === 'string') read[name] = value;
  }
  return read;
}

/** Why the header is invalid; null if it is valid. */
export function checkHeader(name: string, value: JsonValue): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `"${name}" is not a valid header name.`;
  if (value === null) return null;
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? null
    : `The value of the header ${name} has characters that are not allowed in headers.`;
}

function repeats({ id }: BrowserServerEntry, entries: readonly BrowserServerEntry[]): string | null {
  return entries.some((other) => other.id === id) ? `The id "${id}" is used twice.` : null;
}

function readName(raw: JsonValue): string | undefined {
  const name = isJsonObject(raw) ? (raw['name'] ?? raw['id']) : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 80) : undefined;
}

/** A unique id derived from the display name. */
export function newServerId(name: string, taken: readonly string[]): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  const base = `${PREFIX}${word === '' ? 'server' : word}`;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${String(number)}`;
    if (!taken.includes(id)) return id;
  }
}

/** The names of the headers whose values this tab does not know. */
export function missingHeaders(entry: BrowserServerEntry, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(entry.headers)
    .filter(([name, value]) => value === null && secrets[name] === undefined)
    .map(([name]) => name);
}

/** An entry as configuration for the host. */
export function toServerConfig(entry: BrowserServerEntry, secrets: Readonly<Record<string, string>>): ServerConfig {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(entry.headers)) {
    const known = value ?? secrets[name];
    if (known !== undefined) headers[name] = known;
  }
  return {
    id: entry.id,
    transport: { type: entry.transport, url: entry.url, headers },
    ...(entry.enabled ? {} : { disabled: true }),
  };
}

/** Servers whose connection is outdated; `withNewSecrets`: a server whose secrets may have changed. */
export function changedServers(
  before: readonly BrowserServerEntry[],
  after: readonly BrowserServerEntry[],
  withNewSecrets?: string,
): string[] {
  return before
    .filter((entry) => {
      const now = after.find(({ id }) => id === entry.id);
      return entry.id === withNewSecrets || now === undefined || getReachKey(now) !== getReachKey(entry);
    })
    .map(({ id }) => id);
}

/** Everything a connection depends on. */
function getReachKey({ transport, url, headers, useProxy }: BrowserServerEntry): string {
  return JSON.stringify([transport, url, useProxy, Object.entries(headers).sort()]);
}

/** True if two entries are equal. */
export function isSameServerEntry(one: BrowserServerEntry, other: BrowserServerEntry): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
