import { defined } from '@toolyard/protocol';
import type { ServerOptions } from '../../config/server-options.ts';
import type { RunningServer } from '../../start-server.ts';
import { startServer } from '../../start-server.ts';

const TOKEN = 'token-of-the-owner';
/** Cost of deriving the key from TOOLYARD_SECRET; the default takes a tenth of a second per start. */
const SCRYPT_COST = 2 ** 10;

/** A whole server with a data folder and its own port, without a page. */
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

/** Sends a request of the owner to the API. */
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

/** Like {@link send}, with the JSON of the response. @throws Error unless it is a success */
export async function ask<T>(server: RunningServer, method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(server, method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
