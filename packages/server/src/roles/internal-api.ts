import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignInResponse } from '@toolyard/mcp-host';
import type { ErrorInfo, Owner } from '@toolyard/protocol';
import { isJsonObject, messageOf, parseJson, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { HttpApp } from '../http/create-http-app.ts';
import type { Servers } from '../services.ts';
import type { TabToolCalls } from '../runs/tab-tool-calls.ts';
import type { Relays } from './relays.ts';
import type { InternalMethod } from './server-methods.ts';
import { isInternal, UNKNOWN_CALLER_HEADER, NOT_EXECUTED_HEADER, readInternalPath } from './server-methods.ts';

const MOST_BYTES = 64 * 1_024 * 1_024;

export type InternalApiOptions = {
  servers: Servers;
  relays: Relays;
  /** Undefined in a process that executes no runs, and before it does. */
  tabTools?: () => TabToolCalls | undefined;
  /** Any of these keys is accepted. */
  tokens: readonly string[];
  log: (line: string) => void;
};

/** Handles requests of other processes of this installation. A caller without a valid key learns nothing. */
export function createInternalApi({
  servers,
  relays,
  tabTools,
  tokens,
  log,
}: InternalApiOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const shown = request.headers.get('authorization') ?? '';
      // Compares with every key, so that timing reveals nothing.
      if (tokens.filter((token) => isSame(shown, `Bearer ${token}`)).length === 0) return notKnown();
      const asked = readInternalPath(new URL(request.url).pathname);
      if (asked === undefined) return refuse(404, NOT_HERE);
      if ('relay' in asked) return await relays.fetch(asked.relay, request).catch(notTaken);
      if (request.method !== 'POST') return refuse(405, NOT_HERE);
      const body = await readBody(request);
      if (body === undefined)
        return refuse(400, { code: 'bad_request', message: 'Invalid request of another process.' });
      return Response.json(
        (await carryOut({ servers, tabTools: tabTools?.() }, asked.method, body, request.signal)) ?? null,
      );
    } catch (thrown) {
      const info = toErrorInfo(thrown);
      if (info.code === 'internal') log(`roles: ${messageOf(thrown)}`);
      return refuse(409, info);
    }
  };
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

type MethodCall = { principal: Owner; args: unknown[] };

async function readBody(request: Request): Promise<MethodCall | undefined> {
  if (Number(request.headers.get('content-length') ?? Infinity) > MOST_BYTES) return undefined;
  const parsed = parseJson(await request.text());
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { principal, args } = parsed.value;
  if (!isJsonObject(principal) || typeof principal['ownerId'] !== 'string' || !Array.isArray(args)) return undefined;
  return { principal: { ownerId: principal['ownerId'] }, args };
}

/** Arguments are not validated: the caller is the same program. */
async function carryOut(
  { servers, tabTools }: { servers: Servers; tabTools: TabToolCalls | undefined },
  method: InternalMethod,
  { principal, args }: MethodCall,
  signal: AbortSignal,
): Promise<unknown> {
  const [first, second, third] = args as [never, never, never];
  switch (method) {
    case 'finishSignIn':
      return servers.finishSignIn(first satisfies SignInResponse);
    case 'test':
      return servers.test(principal, first, signal);
    case 'prompts':
      return servers.prompts(principal);
    case 'icon':
    case 'skills':
      return servers[method](principal, first, signal);
    case 'app':
    case 'call':
    case 'complete':
    case 'getPrompt':
    case 'skillFile':
    case 'taskResult':
    case 'testTool':
      return servers[method](principal, first, second, signal);
    case 'read':
      return servers.read(principal, first, { uri: second, ...(third === true ? { fresh: true } : {}) }, signal);
    case 'readTabTools':
      return (tabTools ?? noRuns()).read(principal, first, second);
    case 'makeTabToolCall':
      return (tabTools ?? noRuns()).make(principal, first, second);
    default:
      return servers[method](principal, first, second);
  }
}

function noRuns(): never {
  throw new ToolyardError({ code: 'server_unreachable', message: 'This process executes no runs.', retryable: true });
}

/** Adds the internal API in front of the host check, which does not apply to other processes. */
export function withInternalApi(app: HttpApp, cluster: { answer(request: Request): Promise<Response> }): HttpApp {
  return {
    ...app,
    fetch: (request, env, context) =>
      isInternal(new URL(request.url).pathname) ? cluster.answer(request) : app.fetch(request, env, context),
  };
}
