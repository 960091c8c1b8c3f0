import type { IncomingMessage } from 'node:http';
import type { JsonValue, Principal, Scope } from '@toolyard/protocol';
import type { Hono } from 'hono';
import type { z } from 'zod';
import { jsonAnswer } from './answers.ts';
import type { Authentication } from './auth/authentication.ts';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import { changesApproval, requireScope } from './auth/scopes.ts';
import { contentTypeOf, readJson } from './body.ts';
import { inPlainWords } from './in-plain-words.ts';
import { misfit, quoted, refusal } from './problems.ts';
import type { AppContext, AppEnv } from './types.ts';
import { OWNER } from './types.ts';

/** Of routes without authentication: it may do nothing. */
const ANYBODY: Principal = { ...OWNER, via: 'open', scopes: [] };

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** A route as it is described; everything but {@link Route.handle} ends up in the OpenAPI document. */
export type RouteDescription = {
  method: Method;
  /** With `{name}` for what varies. */
  path: string;
  /** What it does, in a line. */
  summary: string;
  /** Needs no credential. */
  open?: true;
  /** What a credential must hold, one of several; `any` is none in particular. Default `read` for GET, else `write`. */
  scope?: Scope | readonly Scope[] | 'any';
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Longest JSON body, where it may be longer than most. */
  maxBodyBytes?: number;
  /** The body is no JSON: these are its types. */
  upload?: readonly string[];
  /** Absent: there is nothing to tell, 204. */
  answer?: z.ZodType;
  /** Of a success; 200 with an answer, 204 without. */
  status?: number;
  /** Of an answer that is no JSON. */
  mediaType?: string;
  /** Further statuses that are no errors. */
  also?: Readonly<Record<number, string>>;
};

type RouteRequest<Path extends string, Query, Body> = {
  c: AppContext;
  principal: Principal;
  params: Readonly<Record<ParameterNames<Path>, string>>;
  query: Query;
  body: Body;
};

type Route<Path extends string, Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType> = Omit<
  RouteDescription,
  'path' | 'query' | 'body' | 'answer'
> & {
  path: Path;
  query?: Query;
  body?: Body;
  /** Called with the body before it is held against its form; what it throws is the answer. */
  precheck?: (body: JsonValue) => void;
  answer?: Answer;
  handle(
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ): Promise<z.output<Answer> | Response> | z.output<Answer> | Response;
};

/** Where routes are put: each is described and carried out from the one definition. */
export type Router = {
  route: <
    const Path extends string,
    Query extends z.ZodObject = z.ZodObject,
    Body extends z.ZodType = z.ZodType,
    Answer extends z.ZodType = z.ZodVoid,
  >(
    route: Route<Path, Query, Body, Answer>,
  ) => void;
  readonly descriptions: readonly RouteDescription[];
};

/** Asked about every body, so that no route can forget it. */
type CheckAuto = Pick<AutoConfirmation, 'check'>;

/** Puts routes into `app`: who asks, and whether the request fits, is settled before a handler sees it. */
export function createRouter(app: Hono<AppEnv>, authentication: Authentication, auto: CheckAuto): Router {
  const descriptions: RouteDescription[] = [];
  return {
    descriptions,
    route(route) {
      descriptions.push(route);
      app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
        const principal = route.open ? ANYBODY : await authentication.principalOf(c.env.incoming);
        if (!route.open) requireScope(principal, ...scopesOf(route));
        checkContentType(c.env.incoming, route);
        const handled = await route.handle({
          c,
          principal,
          params: readParams(c),
          query: readQuery(c, route.query),
          body:
            route.body === undefined
              ? (undefined as never)
              : await readBody(c, route.body, { ...route, principal, auto }),
        });
        if (handled instanceof Response) return handled;
        if (route.answer === undefined) return new Response(null, { status: route.status ?? 204 });
        const acceptEncoding = c.req.header('accept-encoding');
        return jsonAnswer(handled, { status: route.status ?? 200, acceptEncoding });
      });
    },
  };
}

/** The scopes of which a credential must hold one to use a route; empty if none is needed. */
export function scopesOf({ method, open, scope }: RouteDescription): readonly Scope[] {
  if (open === true || scope === 'any') return [];
  if (scope === undefined) return [method === 'get' ? 'read' : 'write'];
  return typeof scope === 'string' ? [scope] : scope;
}

/** The path of a description as Hono writes it. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** What a form on another page can send is never one of these types: the browser asks us first, or says its origin. */
function checkContentType(incoming: IncomingMessage, { method, upload }: RouteDescription): void {
  if (method === 'get' || method === 'delete') return;
  const type = contentTypeOf(incoming);
  if (upload === undefined ? type === 'application/json' : upload.some((each) => matches(type, each))) return;
  const expected = upload === undefined ? 'application/json' : upload.join(', ');
  const given = type === '' ? 'There is no Content-Type' : `The Content-Type is ${quoted(type)}`;
  throw refusal(
    { code: 'bad_request', message: `${given}; expected is ${expected}.`, hint: 'It is expected without a body, too.' },
    { status: 415 },
  );
}

function matches(type: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

function readParams<Name extends string>(c: AppContext): Record<Name, string> {
  // The path that was matched has just these names.
  return c.req.param() as Record<Name, string>;
}

function readQuery<Query extends z.ZodObject>(c: AppContext, schema: Query | undefined): z.output<Query> {
  const given = c.req.query();
  const [unknown] = schema === undefined ? Object.keys(given) : [];
  if (unknown !== undefined) {
    throw refusal({ code: 'bad_request', message: `${quoted(unknown)} in the query is not known here.` });
  }
  if (schema === undefined) return {} as z.output<Query>;
  const parsed = schema.safeParse(given, { error: inPlainWords });
  if (!parsed.success) throw misfit(parsed.error, 'query');
  return parsed.data;
}

type ReadBody = Pick<RouteDescription, 'method' | 'open' | 'maxBodyBytes'> & {
  principal: Principal;
  precheck?: (body: JsonValue) => void;
  auto: CheckAuto;
};

async function readBody<Body extends z.ZodType>(
  c: AppContext,
  schema: Body,
  { method, open, principal, maxBodyBytes, precheck, auto }: ReadBody,
): Promise<z.output<Body>> {
  const given = await readJson(c.env.incoming, maxBodyBytes);
  if (open !== true && changesApproval(method, given)) requireScope(principal, 'approve');
  if (open !== true) await auto.check(principal, given);
  precheck?.(given);
  const parsed = schema.safeParse(given, { error: inPlainWords });
  if (!parsed.success) throw misfit(parsed.error, 'body');
  return parsed.data;
}
