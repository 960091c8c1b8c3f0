import type { ErrorInfo, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { createConfigError } from '../errors.ts';
import type { OwnerFetches } from '../config/owner-fetches.ts';

/** Executes an operation of an MCP server. */
export const MCP_OPERATION_PATH = '/internal/mcp-operation';
/** Makes a call of a run in a tab, or reads the tools for it. */
export const TAB_TOOLS_PATH = '/internal/tab-tools';
const RELAY_PREFIX = '/internal/mcp/';

/** Marks the response to a request that was certainly not executed: look up the server again. */
export const NOT_EXECUTED_HEADER = 'x-toolyard-not-executed';
/** Marks the response of a process with another TOOLYARD_SECRET. */
export const UNKNOWN_CALLER_HEADER = 'x-toolyard-unknown-caller';

/** The path of an MCP server that another process hosts. */
export function relayPath(serverId: string): string {
  return `${RELAY_PREFIX}${encodeURIComponent(serverId)}`;
}

/** The server id in a path of {@link relayPath}; undefined for any other path. */
export function relayedServer(path: string): string | undefined {
  if (!path.startsWith(RELAY_PREFIX)) return undefined;
  try {
    return decodeURIComponent(path.slice(RELAY_PREFIX.length));
  } catch {
    return undefined;
  }
}

/** Sends requests to other processes of this installation. */
export type InternalClient = {
  /** Sends an authenticated request to another process. */
  fetch(address: string, input: string | URL, init?: RequestInit): Promise<Response>;
  /** Sends a JSON request. @throws ToolyardError of the other process, or if it is unreachable */
  post(address: string, path: string, request: object, signal?: AbortSignal): Promise<JsonValue>;
};

export function createInternalClient(fetches: OwnerFetches, token: () => string): InternalClient {
  async function fetchAt(address: string, input: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token()}`);
    const response = await fetches.for(address)(input, { ...init, headers });
    if (!response.headers.has(UNKNOWN_CALLER_HEADER)) return response;
    await response.body?.cancel();
    throw createOtherSecretError(address);
  }
  return {
    fetch: fetchAt,
    async post(address, path, request, signal) {
      let text: string;
      let ok: boolean;
      try {
        const response = await fetchAt(address, `${address}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
          ...defined({ signal }),
        });
        ({ ok } = response);
        text = await response.text();
      } catch (thrown) {
        signal?.throwIfAborted();
        if (ToolyardError.isInstance(thrown)) throw thrown;
        throw createUnreachableError(thrown);
      }
      const parsed = parseJson(text);
      if (!parsed.ok) throw createUnreachableError(undefined);
      if (ok) return parsed.value;
      throw new ToolyardError(readError(parsed.value) ?? toErrorInfo(undefined));
    },
  };
}

function readError(value: JsonValue): ErrorInfo | undefined {
  if (!isJsonObject(value) || typeof value['code'] !== 'string' || typeof value['message'] !== 'string')
    return undefined;
  return value as unknown as ErrorInfo;
}

function createOtherSecretError(address: string): ToolyardError {
  return createConfigError(
    `The Toolyard process at ${address} rejected this one: their TOOLYARD_SECRET differs.`,
    'Set the same TOOLYARD_SECRET for every process with this database, and restart those with another value.',
  );
}

function createUnreachableError(cause: unknown): ToolyardError {
  return new ToolyardError(
    {
      code: 'server_unreachable',
      message: 'The process that hosts this MCP server is unreachable.',
      hint: 'If there is another such process, it takes over within 15 seconds. Try again then.',
      retryable: true,
    },
    { cause },
  );
}
