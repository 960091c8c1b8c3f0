import type { z } from 'zod';
import type { Scope } from '../../access.ts';

/** A route of the HTTP API: what its requests and its answer must look like, and what OpenAPI says about it. */
export type RouteContract = {
  /** What it does, in a line. */
  summary: string;
  /** Needs no credential. */
  open?: true;
  /** What a credential must hold, one of several; `any` is none in particular. Default `read` for GET, else `write`. */
  scope?: Scope | readonly Scope[] | 'any';
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Maximum length of the JSON body, if more than most routes accept. */
  maxBodyBytes?: number;
  /** Media types of a body that is not JSON. */
  upload?: readonly string[];
  /** Absent: the answer is empty (204). */
  answer?: z.ZodType;
  /** Of a success; 200 with an answer, 204 without. */
  status?: number;
  /** Of an answer that is not JSON. */
  mediaType?: string;
  /** Further statuses that are not errors. */
  also?: Readonly<Record<number, string>>;
};

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Method and path, with `{name}` for each parameter of the path: `GET /api/agents/{id}`. */
export type RouteKey = `${RouteMethod} /${string}`;

/** Checks contracts against {@link RouteContract} and keeps their exact types. */
export function defineRoutes<const Routes extends Record<RouteKey, RouteContract>>(routes: Routes): Routes {
  return routes;
}
