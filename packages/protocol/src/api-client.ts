import type { z } from 'zod';
import { parseJson } from './json.ts';
import type { RouteAnswer, RouteMethod, RouteParams, Routes } from './schemas/routes/index.ts';

type Contract<Method extends RouteMethod, Path extends string> = Routes[`${Method} ${Path}` & keyof Routes];

/** The paths with this method whose requests and answers are JSON; streams and files are read with `fetch`. */
type JsonPath<Method extends RouteMethod, Keys extends keyof Routes> = {
  [Key in Keys]: Key extends `${Method} ${infer Path}`
    ? Routes[Key] extends { mediaType: string } | { upload: readonly string[] }
      ? never
      : Path
    : never;
}[Keys];

type ParamsOf<Key extends keyof Routes> = string extends keyof RouteParams<Key>
  ? object
  : [keyof RouteParams<Key>] extends [never]
    ? object
    : { params: RouteParams<Key> };

type QueryOf<Contract> = Contract extends { query: infer Query extends z.ZodType }
  ? { query?: { [Name in keyof z.input<Query>]?: string | number | boolean | undefined } }
  : object;

type BodyOf<Contract> = Contract extends { body: infer Body extends z.ZodType } ? { body: z.input<Body> } : object;

type ClientRequest<Method extends RouteMethod, Path extends string> = ParamsOf<`${Method} ${Path}` & keyof Routes> &
  QueryOf<Contract<Method, Path>> &
  BodyOf<Contract<Method, Path>>;

type Call<Method extends RouteMethod, Options, Keys extends keyof Routes> = <const Path extends JsonPath<Method, Keys>>(
  path: Path,
  ...request: object extends ClientRequest<Method, Path>
    ? [request?: ClientRequest<Method, Path> & Options]
    : [request: ClientRequest<Method, Path> & Options]
) => Promise<RouteAnswer<`${Method} ${Path}` & keyof Routes>>;

/** The paths that take a file as the body, with its own content type. */
type UploadPath = {
  [Key in keyof Routes]: Key extends `POST ${infer Path}`
    ? Routes[Key] extends { upload: readonly string[] }
      ? Path
      : never
    : never;
}[keyof Routes];

/** The JSON routes with these keys; `Options` are what the caller can set beside params, query and body. */
export type JsonClient<Options extends object, Keys extends keyof Routes> = {
  get: Call<'GET', Options, Keys>;
  post: Call<'POST', Options, Keys>;
  put: Call<'PUT', Options, Keys>;
  patch: Call<'PATCH', Options, Keys>;
  delete: Call<'DELETE', Options, Keys>;
};

/** A client of the whole HTTP API. */
export type ApiClient<Options extends object = object> = JsonClient<Options, keyof Routes> & {
  upload: <const Path extends UploadPath>(
    path: Path,
    file: Blob,
    options?: Options,
  ) => Promise<RouteAnswer<`POST ${Path}`>>;
};

export type ApiTransport<Options> = {
  /** Sends a request and returns the body of a successful response; throws on any other status. */
  send(
    path: string,
    init: { method: RouteMethod; headers: Record<string, string>; body?: string | Blob },
    options: Options,
  ): Promise<string>;
  /** The error for a response that is not JSON. */
  createUnreadableError(path: string): Error;
};

type AnyRequest = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
};

/**
 * Creates a client of the HTTP API whose requests and responses have the types of the route contracts.
 *
 * @example
 * const agent = await api.get('/api/agents/{id}', { params: { id } });
 */
export function createApiClient<Options extends object>(transport: ApiTransport<Partial<Options>>): ApiClient<Options> {
  const request = async (
    method: RouteMethod,
    path: string,
    body: { type: string; content: string | Blob } | undefined,
    options: Partial<Options>,
  ): Promise<unknown> => {
    const headers = { accept: 'application/json', ...(body && { 'content-type': body.type }) };
    const text = await transport.send(path, { method, headers, ...(body && { body: body.content }) }, options);
    if (text === '') return undefined;
    const parsed = parseJson(text);
    if (!parsed.ok) throw transport.createUnreadableError(path);
    return parsed.value;
  };
  const call =
    (method: RouteMethod) =>
    (pattern: string, options: AnyRequest & Partial<Options> = {}): Promise<unknown> => {
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const body = hasBody ? { type: 'application/json', content: JSON.stringify(options.body ?? {}) } : undefined;
      return request(method, pathOf(pattern, options), body, options);
    };
  const client = {
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    upload: (path: string, file: Blob, options: Partial<Options> = {}) =>
      request('POST', path, { type: file.type || 'application/octet-stream', content: file }, options),
  };
  // The server validates responses against the contracts; the client does not validate them again.
  return client as unknown as ApiClient<Options>;
}

/** The path of a route with its parameters and query, encoded. */
export function pathOf(pattern: string, { params = {}, query = {} }: AnyRequest): string {
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}
