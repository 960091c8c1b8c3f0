import type { z } from 'zod';
import type { Scope } from '../../access.ts';

/** A route of the HTTP API: the shapes of its request and response, and its entry in OpenAPI. */
export type RouteContract = {
  /** What the route does, in one line, in the imperative. */
  summary: string;
  /** Needs no credential. */
  open?: true;
  /**
   * Scope that a credential needs, one of several; `any`: every credential is accepted. Default: `read` for GET, else
   * `write`.
   */
  scope?: Scope | readonly Scope[] | 'any';
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Maximum length of the JSON body, if larger than the default. */
  maxBodyBytes?: number;
  /** Media types of a body that is not JSON. */
  upload?: readonly string[];
  /** Absent: the response has no body (204). */
  answer?: z.ZodType;
  /** Status of a success; default 200 with a body, 204 without. */
  status?: number;
  /** Media type of a response that is not JSON. */
  mediaType?: string;
  /** Media type of another form of the response, which the request selects. */
  orMediaType?: string;
  /** Other statuses that are not errors; with `answer` their content is the same unless a media type is given. */
  also?: Readonly<Record<number, string | { description: string; mediaType: string }>>;
};

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Method and path, with `{name}` for each parameter of the path: `GET /api/agents/{id}`. */
export type RouteKey = `${RouteMethod} /${string}`;

/** Checks contracts against {@link RouteContract} and keeps their exact types. */
export function defineRoutes<const Routes extends Record<RouteKey, RouteContract>>(routes: Routes): Routes {
  return routes;
}
