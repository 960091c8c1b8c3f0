import type { ErrorInfo, JsonValue, Owner } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { OwnerFetches } from '../config/owner-fetches.ts';
import type { InternalMethod } from './server-methods.ts';
import { UNKNOWN_CALLER_HEADER, serverMethodPath } from './server-methods.ts';

/** Sends requests to other processes of this installation. */
export type InternalClient = {
  /** Sends an authenticated request to another process. */
  fetch(address: string, input: string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Calls a method of that process. @throws ToolyardError of the other process, or if it is unreachable
   */
  ask(
    address: string,
    method: InternalMethod,
    principal: Owner,
    args: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<JsonValue>;
};

export function createInternalClient(fetches: OwnerFetches, token: () => string): InternalClient {
  async function fetchAt(address: string, input: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token()}`);
    const response = await fetches.for(address)(input, { ...init, headers });
    if (!response.headers.has(UNKNOWN_CALLER_HEADER)) return response;
    await response.body?.cancel();
    throw anotherSecret(address);
  }
  return {
    fetch: fetchAt,
    async ask(address, method, principal, args, signal) {
      const body = JSON.stringify({ principal, args });
      let text: string;
      let ok: boolean;
      try {
        const response = await fetchAt(address, `${address}${serverMethodPath(method)}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          ...defined({ signal }),
        });
        ({ ok } = response);
        text = await response.text();
      } catch (thrown) {
        signal?.throwIfAborted();
        if (ToolyardError.isInstance(thrown)) throw thrown;
        throw unreachable(thrown);
      }
      const parsed = parseJson(text);
      if (!parsed.ok) throw unreachable(undefined);
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

function anotherSecret(address: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_config',
    message: `The Toolyard process at ${address} rejected this one: their TOOLYARD_SECRET differs.`,
    hint: 'Set the same TOOLYARD_SECRET for every process with this database, and restart those with another value.',
  });
}

function unreachable(cause: unknown): ToolyardError {
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
