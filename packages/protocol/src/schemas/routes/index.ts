import type { z } from 'zod';
import * as groups from './all.ts';

type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I) => void ? I : never;
export type Routes = Intersection<(typeof groups)[keyof typeof groups]>;

/** Every route of the HTTP API. Server, OpenAPI document and clients are derived from it. */
export const routes = Object.assign({}, ...Object.values(groups)) as Routes;

/** The routes about MCP servers. */
export type McpRouteKey = keyof (typeof groups.mcpOffersRoutes &
  typeof groups.mcpSignInRoutes &
  typeof groups.mcpRoutes);

type ParameterNames<Key> = Key extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterNames<Rest> : never;

/** The path parameters of a route. */
export type RouteParams<Key extends keyof Routes> = Record<ParameterNames<Key>, string>;

/** The query of a route as the server parses it. */
export type RouteQuery<Key extends keyof Routes> = Routes[Key] extends { query: infer Query extends z.ZodType }
  ? z.output<Query>
  : object;

/** The body of a route as the server parses it. */
export type RouteBody<Key extends keyof Routes> = Routes[Key] extends { body: infer Body extends z.ZodType }
  ? z.output<Body>
  : undefined;

/** The JSON of a successful response; `void` if it has no body. */
export type RouteAnswer<Key extends keyof Routes> = Routes[Key] extends { answer: infer Answer extends z.ZodType }
  ? z.output<Answer>
  : void;

export type { RouteMethod } from './define-routes.ts';
