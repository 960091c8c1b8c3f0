import type { ParseError } from 'jsonc-parser';
import { parse } from 'jsonc-parser';
import type { AddMcpServer, JsonObject, JsonValue, McpTransport } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { completeAddress } from '../../complete-address.ts';
import { readAddCommand } from './add-command.ts';
import { isProse, nameFor, splitCommand } from './command-line.ts';
import { gapsIn } from './gaps.ts';
import type { LimitProblem } from './snippet-limits.ts';
import { readLimits } from './snippet-limits.ts';

/** Why an entry is rejected. `part`: a field of the wrong type. */
export type EntryProblem =
  | { kind: 'neither' }
  | { kind: 'address'; url: string }
  | { kind: 'part'; part: string }
  | LimitProblem;

export type SnippetEntry = {
  id: string;
  /** False if the snippet disables it. */
  enabled: boolean;
} & (
  | {
      draft: AddMcpServer;
      /** Placeholders, verbatim: `${input:key}`, `<YOUR_KEY>`. */
      gaps: string[];
    }
  | { problem: EntryProblem }
);

export type Snippet =
  | { ok: true; entries: SnippetEntry[] }
  | { ok: false; problem: { kind: 'json'; line: number } | { kind: 'no servers' } };

/**
 * Parses any text copied to set up a server: an `mcp.json` of Claude Desktop, Cursor, Windsurf or VS Code, one entry of
 * it with or without its name and braces, a URL, or a command line.
 */
export function readSnippet(text: string): Snippet {
  const trimmed = text.trim();
  const begin = trimmed.replace(COMMENTS, '');
  const json = /^"[^"\n]*"\s*:/.test(begin) ? `{${begin}}` : trimmed;
  if (!/^["{[]/.test(begin)) return readPlain(begin);
  const errors: ParseError[] = [];
  const value = parse(json, errors, { allowTrailingComma: true }) as JsonValue | undefined;
  const [first] = errors;
  if (first !== undefined || value === undefined) {
    const line = json.slice(0, first?.offset ?? 0).split('\n').length;
    return { ok: false, problem: { kind: 'json', line } };
  }
  const entries = Object.entries(serversIn(value)).map(([id, entry]) => readEntry(id, entry));
  return entries.length === 0 ? { ok: false, problem: { kind: 'no servers' } } : { ok: true, entries };
}

/** What a settings file may begin with. */
const COMMENTS = /^(?:\s*(?:\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/))*\s*/;

/** A URL, a command line, or a command of another client that adds a server. */
function readPlain(pasted: string): Snippet {
  const text = pasted.replace(/[\\^`]\r?\n\s*/g, ' ').replace(/^[$>]\s+/, '');
  const words = splitCommand(text);
  const [first] = words;
  if (first === undefined || text.includes('\n')) return { ok: false, problem: { kind: 'no servers' } };
  const added = readAddCommand(words);
  if (added !== null) {
    return { ok: true, entries: [readEntry(added.id === '' ? suggestedName(added.entry) : added.id, added.entry)] };
  }
  if (isProse(words)) return { ok: false, problem: { kind: 'no servers' } };
  const id = nameFor(words);
  const address = words.length === 1 ? completeAddress(first) : first;
  const entry: JsonObject = /^(?:https?|wss?):\/\//i.test(address)
    ? { url: address }
    : { command: first, args: words.slice(1) };
  return { ok: true, entries: [readEntry(id, entry)] };
}

function serversIn(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {};
  const { mcp } = value;
  for (const holder of [value['mcpServers'], value['servers'], isJsonObject(mcp) ? mcp['servers'] : undefined]) {
    if (isJsonObject(holder)) return holder;
  }
  if (isEntry(value)) {
    const { name } = value;
    return { [typeof name === 'string' ? name : suggestedName(value)]: value };
  }
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => isJsonObject(entry) && isEntry(entry)));
}

function isEntry(value: JsonObject): boolean {
  return typeof value['command'] === 'string' || addressIn(value) !== undefined || isJsonObject(value['hosted']);
}

/** Windsurf and Gemini use other names for the URL. */
function addressIn(entry: JsonObject): string | undefined {
  return [entry['url'], entry['serverUrl'], entry['httpUrl']].find((value) => typeof value === 'string');
}

function suggestedName(entry: JsonObject): string {
  const { command, args } = entry;
  const words = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
  return nameFor(typeof command === 'string' ? [command, ...words] : [addressIn(entry) ?? '']);
}

function readEntry(id: string, entry: JsonValue): SnippetEntry {
  const enabled = !(isJsonObject(entry) && entry['disabled'] === true);
  if (!isJsonObject(entry)) return { id, enabled, problem: { kind: 'neither' } };
  const transport = readTransport(entry);
  if ('kind' in transport) return { id, enabled, problem: transport };
  const limits = readLimits(entry);
  if ('kind' in limits) return { id, enabled, problem: limits };
  const draft = { id, transport, ...limits };
  return { id, enabled, draft, gaps: gapsIn(draft) };
}

function readTransport(entry: JsonObject): McpTransport | EntryProblem {
  const { command, args = [], cwd, envFile, hosted } = entry;
  if (typeof command === 'string') {
    if (!isTextList(args)) return { kind: 'part', part: 'args' };
    const env = textsIn(entry['env']);
    if (env === null) return { kind: 'part', part: 'env' };
    // Some write the whole command line into `command`.
    const [program = '', ...more] = args.length === 0 ? splitCommand(command) : [command];
    return {
      type: 'stdio',
      command: program,
      args: [...more, ...args],
      env,
      ...(typeof cwd === 'string' ? { cwd } : {}),
      ...(typeof envFile === 'string' ? { envFile } : {}),
    };
  }
  const url = addressIn(entry);
  if (entry['type'] === 'plugin') return readPlugin(entry);
  if (url === undefined && isJsonObject(hosted)) return readHosted(hosted);
  if (url === undefined) return { kind: 'neither' };
  const headers = textsIn(entry['headers']);
  if (headers === null) return { kind: 'part', part: 'headers' };
  const type = detectTransportType(url, entry['type'] ?? entry['transport']);
  return type === null ? { kind: 'address', url } : { type, url, headers };
}

function readHosted({ service, server, apiKey, user, url }: JsonObject): McpTransport | EntryProblem {
  if (service !== 'klavis') return { kind: 'part', part: 'hosted.service' };
  if (typeof server !== 'string') return { kind: 'part', part: 'hosted.server' };
  if (typeof apiKey !== 'string') return { kind: 'part', part: 'hosted.apiKey' };
  return {
    type: 'hosted',
    service,
    server,
    apiKey,
    ...(typeof user === 'string' ? { user } : {}),
    ...(typeof url === 'string' ? { url } : {}),
  };
}

function readPlugin(entry: JsonObject): McpTransport | EntryProblem {
  const { url, gateway } = entry;
  if (typeof url !== 'string') return { kind: 'part', part: 'url' };
  if (gateway !== undefined && typeof gateway !== 'string') return { kind: 'part', part: 'gateway' };
  const settings = textsIn(entry['settings']);
  if (settings === null) return { kind: 'part', part: 'settings' };
  const hasSettings = Object.keys(settings).length > 0;
  return { type: 'plugin', url, ...(gateway === undefined ? {} : { gateway }), ...(hasSettings ? { settings } : {}) };
}

/** The transport for a URL; null if its scheme is not supported. */
export function detectTransportType(url: string, type: JsonValue | undefined): 'http' | 'sse' | 'websocket' | null {
  const protocol = /^(https?|wss?):\/\/./i.exec(url)?.[1]?.toLowerCase();
  // It may begin with a variable.
  if (protocol === undefined) return /^\$\{[^}]+\}/.test(url) ? (type === 'sse' ? 'sse' : 'http') : null;
  if (protocol.startsWith('ws')) return 'websocket';
  return type === 'sse' ? 'sse' : 'http';
}

function isTextList(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Numbers and booleans become strings; null for other types. */
function textsIn(value: JsonValue | undefined): Record<string, string> | null {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) return null;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (text === null) continue;
    if (typeof text === 'object') return null;
    texts[name] = String(text);
  }
  return texts;
}
