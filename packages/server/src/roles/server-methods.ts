import type { Servers } from '../services.ts';

/** What is done with a server where it is connected to, whoever was asked for it. */
const SERVER_METHODS = [
  'call',
  'complete',
  'finishSignIn',
  'getPrompt',
  'log',
  'prompts',
  'read',
  'reconnect',
  'resources',
  'signIn',
  'signOut',
  'templates',
  'test',
  'tools',
] as const satisfies readonly (keyof Servers)[];

export type ServerMethod = (typeof SERVER_METHODS)[number];

/** Marks the answer to a request that was certainly not carried out: the server is to be looked for elsewhere. */
export const NOT_EXECUTED_HEADER = 'x-toolyard-not-taken';
/** On an answer of a process that does not know who asks: its TOOLYARD_SECRET is another one. */
export const UNKNOWN_CALLER_HEADER = 'x-toolyard-not-known';

const PREFIX = '/internal/servers/';
const RELAY_PREFIX = '/internal/mcp/';

export function isInternal(path: string): boolean {
  return path.startsWith('/internal/');
}

export function serverMethodPath(method: ServerMethod): string {
  return `${PREFIX}${method}`;
}

/** What is asked for at a path; undefined for nothing there is. */
export function readInternalPath(path: string): { method: ServerMethod } | { relay: string } | undefined {
  const method = SERVER_METHODS.find((each) => path === serverMethodPath(each));
  if (method !== undefined) return { method };
  if (!path.startsWith(RELAY_PREFIX)) return undefined;
  try {
    return { relay: decodeURIComponent(path.slice(RELAY_PREFIX.length)) };
  } catch {
    return undefined;
  }
}

export function relayPath(serverId: string): string {
  return `${RELAY_PREFIX}${encodeURIComponent(serverId)}`;
}
