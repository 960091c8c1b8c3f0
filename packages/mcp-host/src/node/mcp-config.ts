import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError } from '@toolyard/protocol';
import { readConcurrency } from '../host/concurrency.ts';
import { readHosted } from '../hosted/hosted-config.ts';
import { readPlugin } from '../config/plugin-config.ts';
import type { SandboxSettings } from '../config/sandbox-settings.ts';
import type { ServerConfig, TransportConfig } from '../types.ts';
import type { JsonFile } from './json-file.ts';
import { parseJsonFile, readTextFile } from './json-file.ts';
import type { Variables } from './mcp-variables.ts';
import { fillVariables } from './mcp-variables.ts';
import type { EntrySettings, WrittenTransport } from './written-server.ts';
import { readOAuth } from './read-oauth.ts';
import { leadsTo } from './sandbox/machine-files.ts';
import { expandHome } from './sandbox/profile.ts';
import { readEntrySettings, readTransport } from './written-server.ts';
import { createConfigError } from '../values/config-error.ts';

/** One server of an `mcp.json`: usable, or skipped with the reason. */
export type McpConfigEntry = {
  id: string;
  /** Its line in the file, from 1. */
  line: number;
  settings: EntrySettings;
  /** The keys as written; absent if the entry is not even an object. */
  written?: WrittenTransport;
  /** Its sign-in settings as written. */
  oauth?: JsonValue;
} & ({ config: ServerConfig } | { fault: ToolyardError });

export type McpConfigSource = Variables & {
  /** The name of the file in messages. */
  name: string;
};

/**
 * Reads an `mcp.json` in the format of Claude Desktop and Cursor (`mcpServers`) or VS Code (`servers`), with comments,
 * trailing commas and variables. An invalid entry is skipped without affecting the others.
 *
 * @throws ToolyardError `bad_config` if the file as a whole is invalid, naming file, line and column
 * @example
 * for (const entry of readMcpConfig('mcp.json', process.env)) {
 *   console.log(entry.id, 'fault' in entry ? entry.fault.message : entry.config.transport.type);
 * }
 */
export function readMcpConfig(path: string, env: Variables['env']): McpConfigEntry[] {
  return parseMcpConfig(readTextFile(path), { name: path, env, folder: dirname(resolve(path)) });
}

/** The same for text in memory. @throws as {@link readMcpConfig} does */
export function parseMcpConfig(text: string, source: McpConfigSource): McpConfigEntry[] {
  if (text.trim() === '') return [];
  const file = parseJsonFile(text, source.name);
  const path = serversPath(file.value);
  const listed = valueAt(file.value, path);
  if (listed === undefined && isEmpty(file.value)) return [];
  if (!isJsonObject(listed)) {
    throw createConfigError(
      `${file.formatLocation(path)}: ${source.name} has no "mcpServers" (or "servers") object.`,
      'Define servers by name: { "mcpServers": { "files": { "command": "..." } } }.',
    );
  }
  return Object.entries(listed).map(([id, entry]) => readEntry(file, [...path, id], id, entry, source));
}

/** The path of the servers in an `mcp.json`, or where they belong if it has none. */
export function serversPath(root: JsonValue): string[] {
  if (!isJsonObject(root) || root['mcpServers'] !== undefined) return ['mcpServers'];
  if (root['servers'] !== undefined) return ['servers'];
  // The settings of VS Code contain them under "mcp".
  const { mcp } = root;
  return isJsonObject(mcp) && mcp['servers'] !== undefined ? ['mcp', 'servers'] : ['mcpServers'];
}

function valueAt(root: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), root);
}

/** A file without content. */
function isEmpty(root: JsonValue): boolean {
  return isJsonObject(root) && Object.keys(root).every((key) => key === 'inputs' || key === '$schema');
}

function readEntry(
  file: JsonFile,
  path: readonly string[],
  id: string,
  entry: JsonValue,
  source: McpConfigSource,
): McpConfigEntry {
  const where = `${file.formatLocation(path)}: server "${id}"`;
  const line = file.getLine(path);
  const settings = readEntrySettings(isJsonObject(entry) ? entry : {});
  let written: WrittenTransport | undefined;
  const raw = isJsonObject(entry) ? (entry['oauth'] ?? entry['auth'] ?? undefined) : undefined;
  const base = { id, line, settings, ...defined({ oauth: raw }) };
  try {
    checkId(id, where);
    checkOnce(file.listLines(path), where);
    if (!isJsonObject(entry)) throw createConfigError(`${where} must be an object.`);
    written = readTransport(entry, where);
    const transport = fillTransport(written, source, where);
    const fill = (text: string): string => fillVariables(text, source, where);
    const isOwn = transport.type === 'stdio' || transport.type === 'hosted' || transport.type === 'plugin';
    const oauth = isOwn ? undefined : readOAuth(entry, { fill, folder: source.folder, where });
    const config = {
      ...configOf(id, transport, settings),
      ...readConcurrency(entry, where),
      ...defined({ oauth }),
    };
    return { ...base, written, config };
  } catch (thrown) {
    if (!ToolyardError.isInstance(thrown)) throw thrown;
    return { ...base, ...defined({ written }), fault: thrown };
  }
}

/** @throws ToolyardError `bad_config` */
function checkId(id: string, where: string): void {
  if (id.trim() === '') throw createConfigError(`${where} has no name.`, 'Give every server a unique name.');
  if (!id.includes('/')) return;
  throw createConfigError(
    `${where}: its name contains a slash.`,
    'Tools are written as server/tool: use a name without slashes.',
  );
}

/** Of two servers with one name the later would silently replace the earlier. @throws ToolyardError `bad_config` */
function checkOnce(lines: readonly number[], where: string): void {
  if (lines.length < 2) return;
  throw createConfigError(
    `${where} is defined ${lines.length === 2 ? 'twice' : `${lines.length} times`} (lines ${lines.join(', ')}).`,
    'Give each of them a unique name, or remove all but one.',
  );
}

/**
 * The transport of an entry, with its variables replaced by their values.
 *
 * @throws ToolyardError `bad_config` if a variable cannot be substituted
 * @example
 * const transport = fillTransport({ type: 'http', url: '${env:MCP_URL}' }, source, '"files"');
 */
export function fillTransport(written: WrittenTransport, source: McpConfigSource, where: string): TransportConfig {
  const fill = (text: string): string => fillVariables(text, source, where);
  const fillAll = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  if (written.type === 'hosted') return readHosted(where, { ...written }, fill);
  if (written.type === 'plugin') return readPlugin(where, { ...written }, fill);
  if (written.type !== 'stdio') {
    const { type, url, headers } = written;
    const filled = { url: fill(url), ...(headers === undefined ? {} : { headers: fillAll(headers) }) };
    // The value of a variable is known only now.
    const checked = readTransport({ type, ...filled }, where);
    if (checked.type !== 'http' && checked.type !== 'sse' && checked.type !== 'websocket')
      throw createConfigError(`${where}: "url" must be an http or ws URL.`);
    return { type: checked.type, ...filled };
  }
  const { command, args = [], env, envFile, cwd, sandbox } = written;
  const ofFile = envFile === undefined ? {} : readEnvFile(resolve(source.folder, fill(envFile)), where);
  const ownEnv = { ...ofFile, ...fillAll(env ?? {}) };
  const filled: Extract<TransportConfig, { type: 'stdio' }> = {
    type: 'stdio',
    command: fill(command),
    args: args.map(fill),
    ...(env === undefined && envFile === undefined ? {} : { env: ownEnv }),
    ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
    ...(sandbox === undefined ? {} : { sandbox: sandbox === false ? false : fillSandbox(sandbox, fill) }),
  };
  return { ...filled, ...defined({ leadsTo: findFolders(filled) }) };
}

/** Where the folders of a sandboxed server lead now; undefined if it has none. */
function findFolders({
  cwd,
  sandbox,
}: Extract<TransportConfig, { type: 'stdio' }>): Record<string, string> | undefined {
  if (sandbox === undefined || sandbox === false) return undefined;
  const paths = [...(cwd === undefined ? [] : [cwd]), ...(sandbox.read ?? []), ...(sandbox.write ?? [])];
  if (paths.length === 0) return undefined;
  return Object.fromEntries(paths.map((path) => [path, leadsTo(expandHome(path, homedir()))]));
}

function fillSandbox(settings: SandboxSettings, fill: (text: string) => string): SandboxSettings {
  const { read, write } = settings;
  return {
    ...settings,
    ...(read === undefined ? {} : { read: read.map(fill) }),
    ...(write === undefined ? {} : { write: write.map(fill) }),
  };
}

function readEnvFile(path: string, where: string): Record<string, string> {
  try {
    const values = Object.entries(parseEnv(readFileSync(path, 'utf8')));
    return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  } catch {
    throw createConfigError(
      `${where}: its "envFile" cannot be read.`,
      'A relative path is resolved from the folder of this file.',
    );
  }
}

/**
 * The {@link ServerConfig} of an entry.
 *
 * @example
 * const config = configOf('files', transport, { enabled: true, disabledTools: [], allowedTools: [], trusted: false });
 */
export function configOf(id: string, transport: TransportConfig, settings: EntrySettings): ServerConfig {
  const { trusted, disabledTools, onlyTools, callTimeoutMs, connectTimeoutMs } = settings;
  const tools = {
    ...(disabledTools.length === 0 ? {} : { disabled: disabledTools }),
    ...defined({ only: onlyTools }),
  };
  return {
    id,
    transport,
    ...(trusted ? { trusted } : {}),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...defined({ callTimeoutMs, connectTimeoutMs }),
  };
}
