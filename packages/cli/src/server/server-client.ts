import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient, ErrorCode, Fetch, JsonValue } from '@toolyard/protocol';
import { createApiClient, defined, isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { dataDirFrom } from './data-dir.ts';
import { ServerUnreachable } from './server-lost.ts';

/** Which server a command talks to. */
export type ServerFlags = { server?: string; token?: string; dataDir?: string };

/** The HTTP API of a running server, with the errors it tells as ToolyardErrors. */
export type ServerClient = ApiClient<{ signal?: AbortSignal | undefined }> & {
  readonly url: string;
  /** For whoever speaks HTTP themselves: the token goes along to this server. */
  fetch: Fetch;
  /** The answer as it comes, for streams and files. */
  open(path: string, options?: { signal?: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
};

type Address = { url: string; token?: string };

type CommandPlace = Pick<CommandIo, 'env' | 'cwd'>;

/** What something in front of a server answers while there is no server behind it. */
const NOBODY_BEHIND = new Set([502, 503, 504]);

/**
 * Finds the server: the one that was named, else the one that has the data folder, which may come back at another
 * address. Throws ToolyardError where there is none.
 */
export function serverClient(flags: ServerFlags, io: CommandPlace, fetch: Fetch): ServerClient {
  const { env } = io;
  let address = findServer(flags, io);

  const withToken: Fetch = (input, init = {}) => {
    // The one in the data folder belongs to the process at this address; TOOLYARD_TOKEN may be that of another server.
    const token = flags.token ?? address.token ?? (env['TOOLYARD_TOKEN'] || undefined);
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };

  async function request(path: string, init: RequestInit): Promise<Response> {
    address = flags.server === undefined ? (addressIn(dataFolder(flags, io)) ?? address) : address;
    const { url } = address;
    let response;
    try {
      response = await withToken(`${url}${path}`, init);
    } catch (cause) {
      throw unreachable(url, cause);
    }
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (problem) throw problem;
    if (NOBODY_BEHIND.has(response.status)) throw unreachable(url, undefined);
    throw new ToolyardError({
      code: 'bad_response',
      message: `What answers at ${url} is no Toolyard server: it said ${response.status} to ${path}.`,
    });
  }

  const unreadable = (path: string): ToolyardError =>
    new ToolyardError({
      code: 'bad_response',
      message: `What answers at ${address.url} is no Toolyard server: ${path} there is no JSON.`,
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
      // Only 204 has no body; something else may answer at this address.
      if (text === '' && response.status !== 204) throw unreadable(path);
      return text;
    },
    unreadable,
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
      hint: 'Start it with "toolyard serve", or name another with --server.',
    },
    { cause },
  );
}

function dataFolder(flags: ServerFlags, io: CommandPlace): string {
  return dataDirFrom(flags.dataDir, io);
}

function findServer(flags: ServerFlags, io: CommandPlace): Address {
  if (flags.server !== undefined) {
    const text = /^https?:\/\//i.test(flags.server) ? flags.server : `http://${flags.server}`;
    if (!URL.canParse(text)) {
      throw new ToolyardError({ code: 'bad_config', message: `--server ${flags.server}: this is not an address.` });
    }
    return { url: text.replace(/\/+$/, '') };
  }
  const dataDir = dataFolder(flags, io);
  const found = addressIn(dataDir);
  if (found) return found;
  throw new ToolyardError({
    code: 'bad_config',
    message: `No Toolyard server has the data folder ${dataDir}.`,
    hint: 'Start one with "toolyard serve", or name one with --server.',
  });
}

/** What a server writes into its data folder while it runs; null where none does. */
export function addressIn(dataDir: string): Address | null {
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

/** What a Toolyard server says of a refusal; null where it was something else that answered. */
async function problemOf(response: Response): Promise<ToolyardError | null> {
  const parsed = parseJson(await response.text().catch(() => ''));
  const problem: JsonValue = parsed.ok ? parsed.value : null;
  if (!isJsonObject(problem) || typeof problem['detail'] !== 'string') return null;
  const { code, detail, hint } = problem;
  return new ToolyardError({
    // The list of codes grows with the server; an unknown one is told by its words like any other.
    code: typeof code === 'string' ? (code as ErrorCode) : 'bad_response',
    message: detail,
    ...(typeof hint === 'string' ? { hint } : {}),
  });
}
