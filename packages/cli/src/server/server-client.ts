import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient, ErrorCode, Fetch, JsonValue } from '@toolyard/protocol';
import { createApiClient, defined, isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { dataDirFrom } from './data-dir.ts';
import { ServerUnreachable } from './server-lost.ts';
import { createConfigError } from '../errors.ts';

/** Flags that select the server. */
export type ServerFlags = { server?: string; token?: string; dataDir?: string };

/** Client of the HTTP API of a running server. Its errors are ToolyardErrors. */
export type ServerClient = ApiClient<{ signal?: AbortSignal | undefined }> & {
  readonly url: string;
  /** `fetch` with the token of this server, for other HTTP clients. */
  fetch: Fetch;
  /** The response with its body unread, for streams and files. */
  open(path: string, options?: { signal?: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
};

type ServerAddress = { url: string; token?: string };

type CommandContext = Pick<CommandIo, 'env' | 'cwd'>;

/** Statuses of a reverse proxy whose server is down. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

/**
 * A client of the server that `--server` names, or of the one that uses the data folder. The latter is looked up for each
 * request, because its URL may change with a restart.
 *
 * @throws ToolyardError if no server is running
 */
export function serverClient(flags: ServerFlags, io: CommandContext, fetch: Fetch): ServerClient {
  const { env } = io;
  let address = findServer(flags, io);

  const withToken: Fetch = (input, init = {}) => {
    // The token in the data folder belongs to this server; TOOLYARD_TOKEN may belong to another one.
    const token = flags.token ?? address.token ?? (env['TOOLYARD_TOKEN'] || undefined);
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };

  async function request(path: string, init: RequestInit): Promise<Response> {
    address = flags.server === undefined ? (addressIn(getDataFolder(flags, io)) ?? address) : address;
    const { url } = address;
    let response;
    try {
      response = await withToken(`${url}${path}`, init);
    } catch (cause) {
      throw unreachable(url, cause);
    }
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (problem) throw problem;
    if (GATEWAY_ERRORS.has(response.status)) throw unreachable(url, undefined);
    throw new ToolyardError({
      code: 'bad_response',
      message: `${url} is not a Toolyard server: it answered ${response.status} to ${path}.`,
    });
  }

  const createNotJsonError = (path: string): ToolyardError =>
    new ToolyardError({
      code: 'bad_response',
      message: `${address.url} is not a Toolyard server: the response to ${path} is not JSON.`,
    });

  const api = createApiClient<{ signal?: AbortSignal | undefined }>({
    async send(path, init, { signal }) {
      const response = await request(path, { ...init, ...defined({ signal }) });
      let text: string;
      try {
        text = await response.text();
      } catch (cause) {
        throw unreachable(address.url, cause);
      }
      // Only 204 has no body: this is not a Toolyard server.
      if (text === '' && response.status !== 204) throw createNotJsonError(path);
      return text;
    },
    createUnreadableError: createNotJsonError,
  });

  return {
    ...api,
    get url() {
      return address.url;
    },
    fetch: withToken,
    open: (path, options = {}) => request(path, { ...options }),
  };
}

function unreachable(url: string, cause: unknown): ServerUnreachable {
  return new ServerUnreachable(
    {
      code: 'network',
      message: `The Toolyard server at ${url} does not answer.`,
      hint: 'Start it with "toolyard serve", or name another server with --server.',
    },
    { cause },
  );
}

function getDataFolder(flags: ServerFlags, io: CommandContext): string {
  return dataDirFrom(flags.dataDir, io);
}

function findServer(flags: ServerFlags, io: CommandContext): ServerAddress {
  if (flags.server !== undefined) {
    const text = /^https?:\/\//i.test(flags.server) ? flags.server : `http://${flags.server}`;
    if (!URL.canParse(text)) {
      throw createConfigError(`--server ${flags.server}: invalid URL.`);
    }
    return { url: text.replace(/\/+$/, '') };
  }
  const dataDir = getDataFolder(flags, io);
  const found = addressIn(dataDir);
  if (found) return found;
  throw createConfigError(
    `No Toolyard server is running with the data folder ${dataDir}.`,
    'Start one with "toolyard serve", or name a server with --server.',
  );
}

/** URL and token from `server.json`, which a running server writes to its data folder; null if none is running. */
export function addressIn(dataDir: string): ServerAddress | null {
  let text;
  try {
    text = readFileSync(join(dataDir, 'server.json'), 'utf8');
  } catch {
    return null;
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { url, token } = parsed.value;
  if (typeof url !== 'string') return null;
  return typeof token === 'string' ? { url, token } : { url };
}

/** The error of a problem document (RFC 9457); null for any other response. */
async function readProblem(response: Response): Promise<ToolyardError | null> {
  const parsed = parseJson(await response.text().catch(() => ''));
  const problem: JsonValue = parsed.ok ? parsed.value : null;
  if (!isJsonObject(problem) || typeof problem['detail'] !== 'string') return null;
  const { code, detail, hint } = problem;
  return new ToolyardError({
    // A newer server may send codes that this version does not know.
    code: typeof code === 'string' ? (code as ErrorCode) : 'bad_response',
    message: detail,
    ...(typeof hint === 'string' ? { hint } : {}),
  });
}
