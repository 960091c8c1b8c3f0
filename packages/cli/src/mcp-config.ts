import { readFileSync } from 'node:fs';
import type { ParseError } from 'jsonc-parser';
import { parse, printParseErrorCode } from 'jsonc-parser';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';

/**
 * Reads an `mcp.json` as Claude Desktop and Cursor (`mcpServers`) and VS Code (`servers`) write it, comments and
 * trailing commas allowed, `${env:NAME}` filled in.
 *
 * @throws ToolyardError `bad_config`, naming the file and the line or the server
 */
export function readMcpConfig(path: string, env: NodeJS.ProcessEnv): ServerConfig[] {
  const text = readText(path);
  const errors: ParseError[] = [];
  const root = parse(text, errors, { allowTrailingComma: true }) as JsonValue | undefined;
  const [first] = errors;
  if (first) {
    const { line, column } = positionOf(text, first.offset);
    throw bad(`${path}, line ${line}, column ${column}: ${printParseErrorCode(first.error)}`);
  }
  const listed = isJsonObject(root) ? (root['mcpServers'] ?? root['servers']) : undefined;
  if (!isJsonObject(listed)) throw bad(`${path} has no "mcpServers" (or "servers") object.`);
  return Object.entries(listed).flatMap(([id, entry]) => {
    if (!isJsonObject(entry)) throw bad(`${path}: server "${id}" is not an object.`);
    return entry['disabled'] === true ? [] : [toServer(path, id, entry, env)];
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw bad(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${String(code)}).`);
  }
}

function toServer(path: string, id: string, entry: JsonObject, env: NodeJS.ProcessEnv): ServerConfig {
  const where = `${path}: server "${id}"`;
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
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) throw bad(`${where}: "url" is not an http address.`);
    const headers = strings('headers');
    return { id, transport: { type: 'http', url: address, ...(headers ? { headers } : {}) } };
  }
  throw bad(`${where} has neither "command" nor "url".`);
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function bad(message: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message });
}
