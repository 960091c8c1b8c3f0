import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '@toolyard/protocol';
import type { ServerOptions } from '@toolyard/server';
import { defined, isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { dataDirFrom } from '../server/data-dir.ts';
import type { Given, Spelling } from './setting.ts';
import { switchOf, textOf } from './setting.ts';

/** What `toolyard serve` was told, whichever way. */
export type ServeSettings = {
  host: string;
  port: number;
  /** Null with `--no-token`. */
  token?: string | null;
  dataDir: string;
  databaseUrl?: string;
  blobsUrl?: string;
  databaseNotify: boolean;
  role: Role;
  internalUrl?: string;
  metrics: boolean;
  ui: boolean;
  uiSettings: JsonObject;
  uiMcpProxy: boolean;
};

/** What a process is there for; the server knows what each does. */
type Role = NonNullable<ServerOptions['role']>;
const ROLES: readonly Role[] = ['all', 'web', 'worker', 'tools'];

const STANDARD_PORT = 8710;

const spelled = (name: string, variable: string, older?: { flag: string; variables: string[] }): Spelling => ({
  flags: older ? [name, older.flag] : [name],
  variables: older ? [variable, ...older.variables] : [variable],
});

/** Where a name is known to people from llama-server, theirs works too. */
const UI = spelled('ui', 'TOOLYARD_UI', { flag: 'webui', variables: ['LLAMA_ARG_UI', 'LLAMA_ARG_WEBUI'] });
const UI_CONFIG = spelled('ui-config', 'TOOLYARD_UI_CONFIG', {
  flag: 'webui-config',
  variables: ['LLAMA_ARG_UI_CONFIG', 'LLAMA_ARG_WEBUI_CONFIG'],
});
const UI_CONFIG_FILE = spelled('ui-config-file', 'TOOLYARD_UI_CONFIG_FILE', {
  flag: 'webui-config-file',
  variables: ['LLAMA_ARG_UI_CONFIG_FILE', 'LLAMA_ARG_WEBUI_CONFIG_FILE'],
});
const UI_MCP_PROXY = spelled('ui-mcp-proxy', 'TOOLYARD_UI_MCP_PROXY', {
  flag: 'webui-mcp-proxy',
  variables: ['LLAMA_ARG_UI_MCP_PROXY', 'LLAMA_ARG_WEBUI_MCP_PROXY'],
});
const HOST = spelled('host', 'TOOLYARD_HOST');
const PORT: Spelling = { flags: ['port'], variables: ['PORT'] };
const TOKEN = spelled('token', 'TOOLYARD_TOKEN');
const DATABASE: Spelling = { flags: ['database-url'], variables: ['DATABASE_URL'] };
const BLOBS: Spelling = { flags: ['blobs-url'], variables: ['TOOLYARD_BLOBS_URL'] };
const METRICS = spelled('metrics', 'TOOLYARD_METRICS');
const ROLE = spelled('role', 'TOOLYARD_ROLE');
const INTERNAL_URL = spelled('internal-url', 'TOOLYARD_INTERNAL_URL');
const NOTIFY = spelled('database-notify', 'TOOLYARD_DATABASE_NOTIFY');

/** Reads flags and environment. Throws ToolyardError `bad_config` that names the flag or variable at fault. */
export function readServeSettings(given: Given): ServeSettings {
  const token = given.flags['token'] === false ? null : textOf(TOKEN, given)?.text;
  const databaseUrl = textOf(DATABASE, given)?.text;
  const blobsUrl = textOf(BLOBS, given)?.text;
  const internalUrl = textOf(INTERNAL_URL, given)?.text;
  return {
    host: textOf(HOST, given)?.text ?? '127.0.0.1',
    port: readPort(given),
    ...defined({ token }),
    dataDir: dataDirFrom(textOf({ flags: ['data-dir'], variables: [] }, given)?.text, given),
    ...defined({ databaseUrl, blobsUrl }),
    databaseNotify: switchOf(NOTIFY, given) ?? true,
    role: readRole(given),
    ...defined({ internalUrl }),
    metrics: switchOf(METRICS, given) ?? false,
    ui: switchOf(UI, given) ?? true,
    uiSettings: readUiSettings(given),
    uiMcpProxy: switchOf(UI_MCP_PROXY, given) ?? false,
  };
}

function readRole(given: Given): Role {
  const said = textOf(ROLE, given);
  const role = ROLES.find((each) => each === (said?.text ?? 'all'));
  if (role !== undefined) return role;
  throw new ToolyardError({
    code: 'bad_config',
    message: `${said?.name ?? ''} is "${said?.text ?? ''}": a role is one of ${ROLES.join(', ')}.`,
    hint: 'Without it the process does everything.',
  });
}

function readPort(given: Given): number {
  const said = textOf(PORT, given);
  if (!said) return STANDARD_PORT;
  const port = Number(said.text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ToolyardError({
    code: 'bad_config',
    message: `${said.name} is "${said.text}": a port is a whole number from 0 to 65535.`,
    hint: '0 takes any free one.',
  });
}

/** The file first, then the text over it: whoever types knows the file. */
function readUiSettings(given: Given): JsonObject {
  const file = textOf(UI_CONFIG_FILE, given);
  const typed = textOf(UI_CONFIG, given);
  return {
    ...(file ? settingsIn(readText(resolve(given.cwd, file.text), file.name), `${file.name} ${file.text}`) : {}),
    ...(typed ? settingsIn(typed.text, typed.name) : {}),
  };
}

function settingsIn(text: string, where: string): JsonObject {
  const parsed = parseJson(text);
  const problem = !parsed.ok ? parsed.problem : isJsonObject(parsed.value) ? null : 'it is not an object';
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new ToolyardError({
    code: 'bad_config',
    message: `${where} cannot be read as JSON: ${problem ?? ''}.`,
    hint: 'It takes an object, as in {"theme":"dark"}.',
  });
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new ToolyardError({
      code: 'bad_config',
      message: code === 'ENOENT' ? `${name}: there is no file ${path}.` : `${name}: ${path} cannot be read (${code}).`,
    });
  }
}
