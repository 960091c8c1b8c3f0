import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import type { ServerConfig } from '../types.ts';
import { readHosted } from '../hosted/hosted-config.ts';
import { readUrl } from '../read-url.ts';
import { readJsonFile } from './json-file.ts';

/** One server of an `mcp.json`. A fault in one that is switched off is no reason to refuse the file. */
export type McpConfigEntry =
  { id: string; enabled: boolean; config: ServerConfig } | { id: string; enabled: false; fault: ToolyardError };

/**
 * Reads an `mcp.json` as Claude Desktop and Cursor (`mcpServers`) and VS Code (`servers`) write it, comments and
 * trailing commas allowed, `${env:NAME}` filled in.
 *
 * @throws ToolyardError `bad_config`, naming the file, the line and the server
 */
export function readMcpConfig(path: string, env: Readonly<Record<string, string | undefined>>): McpConfigEntry[] {
  const { value: root, placeOf } = readJsonFile(path);
  const key = isJsonObject(root) && root['mcpServers'] === undefined ? 'servers' : 'mcpServers';
  const listed = isJsonObject(root) ? root[key] : undefined;
  if (!isJsonObject(listed)) throw bad(`${path} has no "mcpServers" (or "servers") object.`);
  return Object.entries(listed).map(([id, entry]): McpConfigEntry => {
    const where = `${placeOf([key, id])}: server "${id}"`;
    if (!isJsonObject(entry)) throw bad(`${where} is not an object.`);
    if (entry['disabled'] !== true) return { id, enabled: true, config: toServer(where, id, entry, env) };
    try {
      return { id, enabled: false, config: toServer(where, id, entry, env) };
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      return { id, enabled: false, fault: thrown };
    }
  });
}

function toServer(
  where: string,
  id: string,
  entry: JsonObject,
  env: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const fill = (text: string): string =>
    text.replace(/\$\{env:([^}]+)\}/g, (_whole, name: string) => {
      const value = env[name];
      if (value === undefined) throw bad(`${where} uses \${env:${name}}, and ${name} is not set.`);
      return value;
    });
  const strings = (key: string): Record<string, string> | undefined => {
    const value = entry[key];
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) throw bad(`${where}: "${key}" is not an object.`);
    return Object.fromEntries(
      Object.entries(value).map(([name, text]) => {
        if (typeof text !== 'string') throw bad(`${where}: "${key}.${name}" is not a text.`);
        return [name, fill(text)];
      }),
    );
  };

  const { command, url } = entry;
  if (typeof command === 'string') {
    const args = entry['args'] ?? [];
    if (!Array.isArray(args)) throw bad(`${where}: "args" is not a list.`);
    const filled = args.map((arg) => {
      if (typeof arg !== 'string') throw bad(`${where}: "args" holds something that is not a text.`);
      return fill(arg);
    });
    const childEnv = strings('env');
    const cwd = entry['cwd'];
    if (cwd !== undefined && typeof cwd !== 'string') throw bad(`${where}: "cwd" is not a text.`);
    return {
      id,
      transport: {
        type: 'stdio',
        command: fill(command),
        args: filled,
        ...(childEnv ? { env: childEnv } : {}),
        ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
      },
    };
  }
  if (typeof url === 'string') {
    const address = fill(url);
    const headers = strings('headers');
    return {
      id,
      transport: { type: webKind(where, entry['type'], address), url: address, ...(headers ? { headers } : {}) },
    };
  }
  const { hosted } = entry;
  if (hosted !== undefined) return { id, transport: readHosted(where, hosted, fill) };
  throw bad(`${where} has neither "command" nor "url".`);
}

/** The address tells most of it; only that a server knows nothing but the older HTTP+SSE must be said. */
function webKind(where: string, type: JsonValue | undefined, address: string): 'http' | 'sse' | 'websocket' {
  const protocol = readUrl(address)?.protocol;
  if (protocol === 'ws:' || protocol === 'wss:') return 'websocket';
  if (protocol !== 'http:' && protocol !== 'https:') throw bad(`${where}: "url" is not an http or ws address.`);
  return type === 'sse' ? 'sse' : 'http';
}

function bad(message: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message });
}
