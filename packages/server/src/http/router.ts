import type { JsonValue, Principal } from '@toolyard/protocol';
import type { Hono } from 'hono';
import type { z } from 'zod';
import { jsonAnswer } from './answers.ts';
import { contentTypeOf, readJson } from './body.ts';
import { misfit, quoted, refusal } from './problems.ts';
import type { Sessions } from './sessions.ts';
import type { AppContext, AppEnv } from './types.ts';

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
  /** Anybody may ask this, without a token. */
  open?: true;
  query?: z.ZodObject;
  body?: z.ZodType;
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

export type RouteRequest<Path extends string, Query, Body> = {
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
  answer?: Answer;
  handle(
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ): Promise<z.output<Answer> | Response> | z.output<Answer> | Response;
};

/** Where routes are put: each is described and carried out from the one definition. */
export type Router = {
  route<
    const Path extends string,
    Query extends z.ZodObject = z.ZodObject,
    Body extends z.ZodType = z.ZodType,
    Answer extends z.ZodType = z.ZodVoid,
  >(
    route: Route<Path, Query, Body, Answer>,
  ): void;
  readonly descriptions: readonly RouteDescription[];
};

/** Puts routes into `app`: who asks and whether the request fits is settled before a handler sees it. */
export function createRouter(app: Hono<AppEnv>, sessions: Sessions): Router {
  const descriptions: RouteDescription[] = [];
  return {
    descriptions,
    route(route) {
      descriptions.push(route);
      app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
        const { incoming } = c.env;
        const principal = await sessions.principalOf(route.open ? withoutCredentials(incoming) : incoming);
        return carryOut(c, principal, route);
      });
    },
  };
}
