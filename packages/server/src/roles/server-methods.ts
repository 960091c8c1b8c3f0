import type { Servers } from '../services.ts';

/** Methods that execute where the server is connected, whichever process received the request. */
const SERVER_METHODS = [
  'app',
  'call',
  'cancelTask',
  'complete',
  'finishSignIn',
  'followResources',
  'getPrompt',
  'icon',
  'log',
  'prompts',
  'read',
  'reconnect',
  'resources',
  'signIn',
  'signOut',
  'skillFile',
  'skills',
  'taskResult',
  'tasks',
  'templates',
  'test',
  'testTool',
  'tools',
] as const satisfies readonly (keyof Servers)[];

export type ServerMethod = (typeof SERVER_METHODS)[number];

/** Methods for runs in tabs, which a process that executes runs carries out. */
const TAB_TOOL_METHODS = ['readTabTools', 'makeTabToolCall'] as const;

export type InternalMethod = ServerMethod | (typeof TAB_TOOL_METHODS)[number];

/** Marks the response to a request that was certainly not executed: look up the server again. */
export const NOT_EXECUTED_HEADER = 'x-toolyard-not-taken';
/** Marks the response of a process with another TOOLYARD_SECRET. */
export const UNKNOWN_CALLER_HEADER = 'x-toolyard-not-known';

const PREFIX = '/internal/servers/';
const RELAY_PREFIX = '/internal/mcp/';

export function isInternal(path: string): boolean {
  return path.startsWith('/internal/');
}

export function serverMethodPath(method: InternalMethod): string {
  return `${PREFIX}${method}`;
}

/** Parses a path of the internal API; undefined if unknown. */
export function readInternalPath(path: string): { method: InternalMethod } | { relay: string } | undefined {
  const method = [...SERVER_METHODS, ...TAB_TOOL_METHODS].find((each) => path === serverMethodPath(each));
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
