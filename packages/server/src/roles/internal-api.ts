import { createHash, timingSafeEqual } from 'node:crypto';
import type { ErrorInfo, JsonObject, JudgedCall, Owner, RunRecord } from '@toolyard/protocol';
import { isJsonObject, messageOf, parseJson, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { createInvalidError } from '../errors.ts';
import type { HttpApp } from '../http/create-http-app.ts';
import type { Servers } from '../mcp/operations.ts';
import { isHolderKey } from '../mcp/operations.ts';
import { readRequest } from '../mcp/read-operation.ts';
import type { TabToolCalls } from '../runs/tab/tab-tool-calls.ts';
import {
  MCP_OPERATION_PATH,
  NOT_EXECUTED_HEADER,
  relayedServer,
  TAB_TOOLS_PATH,
  UNKNOWN_CALLER_HEADER,
} from './internal-client.ts';
import type { Relays } from './relays.ts';

const MAX_BYTES = 64 * 1_024 * 1_024;

export type InternalApiOptions = {
  servers: Pick<Servers, 'ask'>;
  relays: Relays;
  /** Undefined in a process that executes no runs, and before it does. */
  tabTools?: () => TabToolCalls | undefined;
  /** Any of these keys is accepted. */
  tokens: readonly string[];
  log: (line: string) => void;
};

type Handle = (principal: Owner, body: JsonObject, signal: AbortSignal) => Promise<unknown>;

/** Handles requests of other processes of this installation. A caller without a valid key learns nothing. */
export function createInternalApi(options: InternalApiOptions): (request: Request) => Promise<Response> {
  const { servers, relays, tokens, log } = options;
  const handlers: Readonly<Record<string, Handle>> = {
    async [MCP_OPERATION_PATH](principal, { key, request }, signal) {
      if (typeof key !== 'string' || !isHolderKey(key) || !isJsonObject(request)) throw createInvalidRequestError();
      return servers.ask(key, principal, readRequest(key, request), signal);
    },
    async [TAB_TOOLS_PATH](principal, body) {
      const tabTools = options.tabTools?.();
      if (tabTools === undefined) throw createNoRunsError();
      // Not validated: the other process is a Toolyard with the same secret.
      const { run, calls, callId } = body as unknown as TabToolsRequest;
      return calls === undefined ? tabTools.make(principal, run, callId) : tabTools.read(principal, run, calls);
    },
  };
  return async (request) => {
    try {
      const shown = request.headers.get('authorization') ?? '';
      // Compares with every key, so that timing reveals nothing.
      if (tokens.filter((token) => isSame(shown, `Bearer ${token}`)).length === 0) return notKnown();
      const { pathname } = new URL(request.url);
      const serverId = relayedServer(pathname);
      if (serverId !== undefined) return await relays.fetch(serverId, request).catch(notTaken);
      const handle = handlers[pathname];
      if (handle === undefined) return refuse(404, NOT_HERE);
      if (request.method !== 'POST') return refuse(405, NOT_HERE);
      const { principal, ...body } = await readBody(request);
      return Response.json((await handle(principal, body, request.signal)) ?? null);
    } catch (thrown) {
      const info = toErrorInfo(thrown);
      if (info.code === 'internal') log(`roles: ${messageOf(thrown)}`);
      return refuse(409, info);
    }
  };
}

/** Reads the tools for calls of a run in a tab, or makes one of its calls. */
export type TabToolsRequest = { run: RunRecord } & (
  | { calls: readonly JudgedCall[]; callId?: undefined }
  | { callId: string; calls?: undefined }
);

function isInternal(path: string): boolean {
  return path.startsWith('/internal/');
}

/** The response to a request that was not executed at all. */
function notTaken(thrown: unknown): Response {
  if (!ToolyardError.isInstance(thrown)) throw thrown;
  return Response.json(thrown.toJSON(), {
    status: 503,
    headers: { [NOT_EXECUTED_HEADER]: '1', 'cache-control': 'no-store' },
  });
}

/** Lets a process with another TOOLYARD_SECRET report that cause. */
function notKnown(): Response {
  const answer = refuse(404, NOT_HERE);
  answer.headers.set(UNKNOWN_CALLER_HEADER, '1');
  return answer;
}

const NOT_HERE: ErrorInfo = { code: 'not_found', message: 'Not found.' };

function refuse(status: number, info: ErrorInfo): Response {
  return Response.json(info, { status, headers: { 'cache-control': 'no-store' } });
}

/** Constant-time comparison. */
function isSame(actual: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(actual), hash(expected));
}

async function readBody(request: Request): Promise<JsonObject & { principal: Owner }> {
  if (Number(request.headers.get('content-length') ?? Infinity) > MAX_BYTES) throw createInvalidRequestError();
  const parsed = parseJson(await request.text());
  if (!parsed.ok || !isJsonObject(parsed.value)) throw createInvalidRequestError();
  const { principal } = parsed.value;
  if (!isJsonObject(principal) || typeof principal['ownerId'] !== 'string') throw createInvalidRequestError();
  return { ...parsed.value, principal: { ownerId: principal['ownerId'] } };
}

function createInvalidRequestError(): ToolyardError {
  return createInvalidError('Invalid request of another process.');
}

function createNoRunsError(): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: 'This process executes no runs.',
    retryable: true,
  });
}

/** Adds the internal API in front of the host check, which does not apply to other processes. */
export function withInternalApi(app: HttpApp, cluster: { answer(request: Request): Promise<Response> }): HttpApp {
  return {
    ...app,
    fetch: (request, env, context) =>
      isInternal(new URL(request.url).pathname) ? cluster.answer(request) : app.fetch(request, env, context),
  };
}
