import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode, Fetch, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { dataDirFrom } from './data-dir.ts';

/** Which server a command talks to. */
export type ServerFlags = { server?: string; token?: string; dataDir?: string };

/** The HTTP API of a running server, with the errors it tells as ToolyardErrors. */
export type ServerClient = {
  readonly url: string;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  /** The answer as it comes, for streams and files. */
  open(path: string, options?: { signal?: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
};

type Address = { url: string; token?: string };

/**
 * Finds the server: the one that was named, else the one that has the data folder. Throws ToolyardError where there
 * is none.
 */
export function serverClient(flags: ServerFlags, env: NodeJS.ProcessEnv, fetch: Fetch): ServerClient {
  const address = findServer(flags, env);
  const token = flags.token ?? env['TOOLYARD_TOKEN'] ?? address.token;

  const open: ServerClient['open'] = async (path, options = {}) => request(path, { ...options });
  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    let response;
    try {
      response = await fetch(`${address.url}${path}`, { ...init, headers });
    } catch (cause) {
      throw new ToolyardError(
        {
          code: 'network',
          message: `The Toolyard server at ${address.url} does not answer.`,
          hint: 'Start it with "toolyard serve", or name another with --server.',
        },
        { cause },
      );
    }
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  return {
    url: address.url,
    open,
    get: async <T>(path: string) => (await (await request(path, {})).json()) as T,
    post: async <T>(path: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json' };
      const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as T;
    },
  };
}

function findServer(flags: ServerFlags, env: NodeJS.ProcessEnv): Address {
  if (flags.server !== undefined) {
    const text = /^https?:\/\//i.test(flags.server) ? flags.server : `http://${flags.server}`;
    if (!URL.canParse(text)) {
      throw new ToolyardError({ code: 'bad_config', message: `--server ${flags.server}: this is not an address.` });
    }
    return { url: text.replace(/\/+$/, '') };
  }
  const dataDir = dataDirFrom(flags.dataDir ?? env['TOOLYARD_DATA_DIR'], env);
  const found = readAddress(join(dataDir, 'server.json'));
  if (found) return found;
  throw new ToolyardError({
    code: 'bad_config',
    message: `No Toolyard server has the data folder ${dataDir}.`,
    hint: 'Start one with "toolyard serve", or name one with --server.',
  });
}

/** What a server writes into its data folder while it runs. */
function readAddress(path: string): Address | null {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { url, token } = parsed.value;
  if (typeof url !== 'string') return null;
  return typeof token === 'string' ? { url, token } : { url };
}

async function problemOf(response: Response): Promise<ToolyardError> {
  const parsed = parseJson(await response.text());
  const problem: JsonValue = parsed.ok ? parsed.value : null;
  if (!isJsonObject(problem) || typeof problem['detail'] !== 'string') {
    return new ToolyardError({ code: 'bad_response', message: `The server answered with ${response.status}.` });
  }
  const { code, detail, hint } = problem;
  return new ToolyardError({
    code: typeof code === 'string' ? (code as ErrorCode) : 'bad_response',
    message: detail,
    ...(typeof hint === 'string' ? { hint } : {}),
  });
}
