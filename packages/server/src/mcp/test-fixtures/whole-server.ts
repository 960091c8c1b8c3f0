import { defined } from '@toolyard/protocol';
import type { ServerOptions } from '../../config/server-options.ts';
import type { RunningServer } from '../../start-server.ts';
import { startServer } from '../../start-server.ts';

const TOKEN = 'token-of-the-owner';
/** Of the key derived from TOOLYARD_SECRET: the usual work takes a tenth of a second at each start. */
const SCRYPT_COST = 2 ** 10;

/** A whole server over a data folder, without a page, at a port of its own. */
export function startWholeServer(
  options: Pick<ServerOptions, 'dataDir'> & Partial<ServerOptions>,
): Promise<RunningServer> {
  const settings: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    builtInServers: [],
    flagServers: [],
    env: {},
    log: () => undefined,
    ...options,
  };
  return startServer(settings, { scryptCost: SCRYPT_COST });
}

/** What the owner asks of its API. */
export async function send(
  { url }: RunningServer,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const content = method === 'GET' ? {} : { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...content },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...defined({ signal }),
  });
}

/** The same, and the JSON of the answer. @throws Error for one that is not a success */
export async function ask<T>(server: RunningServer, method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(server, method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
