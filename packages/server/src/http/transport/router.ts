import type { IncomingMessage } from 'node:http';
import type { JsonValue, Principal, Scope } from '@toolyard/protocol';
import type {
  RouteAnswer,
  RouteBody,
  RouteContract,
  RouteMethod,
  RouteParams,
  RouteQuery,
  Routes,
} from '@toolyard/protocol/schemas';
import { routes } from '@toolyard/protocol/schemas';
import type { Hono } from 'hono';
import type { z } from 'zod';
import { jsonAnswer } from '../responses.ts';
import type { Authentication } from '../auth/authentication.ts';
import type { AutoConfirmation } from '../../config/auto-confirmation.ts';
import { refuseStoredFiles } from '../auth/limited-keys.ts';
import { changesApproval, requireScope } from '../auth/scopes.ts';
import { getContentType, readJsonBody } from './body.ts';
import { plainZodError } from './plain-zod-error.ts';
import { validationError, quoted, refusal } from '../problems.ts';
import type { AppContext, AppEnv } from '../types.ts';
import { OWNER } from '../types.ts';

/** Principal of public routes, without scopes. */
const NO_ONE: Principal = { ...OWNER, via: 'open', scopes: [] };

/** A route as described in the OpenAPI document. */
export type RouteDescription = RouteContract & {
  method: RouteMethod;
  path: string;
};

type RouteRequest<Key extends keyof Routes> = {
  c: AppContext;
  principal: Principal;
  params: Readonly<RouteParams<Key>>;
  query: RouteQuery<Key>;
  body: RouteBody<Key>;
};

type RouteHandler<Key extends keyof Routes> = (
  request: RouteRequest<Key>,
) => Promise<RouteAnswer<Key> | Response> | RouteAnswer<Key> | Response;

type RouteOptions = {
  /** Called with the body before validation; throws an error to reject it. */
  precheck?: (body: JsonValue) => void;
  /** The schema of the form that a body has, if the route accepts several: mistakes are those of this form. */
  getSchema?: (body: JsonValue) => z.ZodType;
};

/** Registers handlers of the routes that `@toolyard/protocol/schemas` declares. */
export type Router = {
  route: <const Key extends keyof Routes>(key: Key, handle: RouteHandler<Key>, options?: RouteOptions) => void;
  readonly descriptions: readonly RouteDescription[];
};

/** Checked for every body, so that no route can omit it. */
type CheckAuto = Pick<AutoConfirmation, 'check'>;

/** Adds routes to `app`. Authentication and validation happen before the handler is called. */
export function createRouter(app: Hono<AppEnv>, authentication: Authentication, { auto }: { auto: CheckAuto }): Router {
  const descriptions: RouteDescription[] = [];
  return {
    descriptions,
    route(key, handle, { precheck, getSchema } = {}) {
      const route = describe(key);
      const answer = async (c: AppContext): Promise<Response> => {
        const id = c.req.param('id');
        const principal = route.open ? NO_ONE : await authentication.getPrincipal(c.env.incoming, { key, id });
        if (!route.open) requireScope(principal, ...getScopes(route));
        checkContentType(c.env.incoming, route);
        const query = readQuery(c, route.query);
        const body = route.body && (await readBody(c, route.body, { ...route, precheck, getSchema, principal, auto }));
        // The contract under this key has validated both.
        const request = { c, principal, params: c.req.param(), query, body } as unknown as RouteRequest<typeof key>;
        const handled = await handle(request);
        if (handled instanceof Response) return handled;
        if (route.answer === undefined) return new Response(null, { status: route.status ?? 204 });
        const acceptEncoding = c.req.header('accept-encoding');
        return jsonAnswer(handled, { status: route.status ?? 200, acceptEncoding });
      };
      descriptions.push(route);
      app.on(route.method, honoPath(route.path), answer);
    },
  };
}

function describe(key: keyof Routes): RouteDescription {
  const [method, path] = key.split(' ') as [RouteMethod, string];
  return { method, path, ...routes[key] };
}

/** The scopes of which a credential needs one to use a route; empty if none is needed. */
export function getScopes({ method, open, scope }: RouteDescription): readonly Scope[] {
  if (open === true || scope === 'any') return [];
  if (scope === undefined) return [method === 'GET' ? 'read' : 'write'];
  return typeof scope === 'string' ? [scope] : scope;
}

/** The path of a description in Hono's syntax. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * Forms of other sites cannot send these types without a CORS preflight or an Origin header. A request without a body needs
 * none where none is expected, as `curl -X POST` sends it; a form always names a type.
 */
function checkContentType(incoming: IncomingMessage, { method, upload, body }: RouteDescription): void {
  if (method === 'GET' || method === 'DELETE') return;
  const type = getContentType(incoming);
  if (type === '' && body === undefined && upload === undefined && !hasBody(incoming)) return;
  if (upload === undefined ? type === 'application/json' : upload.some((each) => matches(type, each))) return;
  const expected = upload === undefined ? 'application/json' : upload.join(', ');
  const description = type === '' ? 'The Content-Type is missing' : `The Content-Type is ${quoted(type)}`;
  throw refusal(
    {
      code: 'bad_request',
      message: `${description}; required: ${expected}.`,
    },
    { status: 415 },
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function matches(type: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

function readQuery(c: AppContext, schema: z.ZodObject | undefined): object {
  const rawQuery = c.req.query();
  const [unknown] = schema === undefined ? Object.keys(rawQuery) : [];
  if (unknown !== undefined) {
    throw refusal({ code: 'bad_request', message: `Unknown query parameter ${quoted(unknown)}.` });
  }
  if (schema === undefined) return {};
  const parsed = schema.safeParse(rawQuery, { error: plainZodError });
  if (!parsed.success) throw validationError(parsed.error, 'query');
  return parsed.data;
}

type ReadBody = Pick<RouteDescription, 'method' | 'open' | 'maxBodyBytes'> & {
  principal: Principal;
  precheck: RouteOptions['precheck'];
  getSchema: RouteOptions['getSchema'];
  auto: CheckAuto;
};

async function readBody(
  c: AppContext,
  described: z.ZodType,
  { method, open, principal, maxBodyBytes, precheck, getSchema, auto }: ReadBody,
): Promise<unknown> {
  const json = await readJsonBody(c.env.incoming, maxBodyBytes);
  if (open !== true && changesApproval(method, json)) requireScope(principal, 'approve');
  if (open !== true) await auto.check(principal, json);
  precheck?.(json);
  const schema = getSchema?.(json) ?? described;
  const parsed = schema.safeParse(json, { error: plainZodError });
  if (!parsed.success) throw validationError(parsed.error, 'body');
  refuseStoredFiles(principal, parsed.data);
  return parsed.data;
}
