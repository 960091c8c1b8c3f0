import { problem } from '@toolyard/protocol/schemas';
import { afterEach, beforeEach, expect } from 'vitest';
import { openApiDocument } from '../openapi.ts';
import type { RouteDescription } from '../transport/router.ts';
import type { TestResponse, TestRequestOptions, TestServer } from './test-server.ts';
import { startTestServer } from './test-server.ts';

/** Sends a request and checks that the response matches the description of its route exactly. */
export async function askAsDescribed(
  server: TestServer,
  target: string,
  options: TestRequestOptions = {},
): Promise<TestResponse> {
  const answer = await server.ask(target, options);
  const method = options.method ?? (options.json === undefined && options.body === undefined ? 'GET' : 'POST');
  const route = getRoute(server.app.routes, method, target);
  if (answer.status >= 400) {
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(problem.safeParse(answer.json).error).toBeUndefined();
    return answer;
  }
  const promised = route.status ?? (route.answer === undefined && route.mediaType === undefined ? 204 : 200);
  expect([promised, ...Object.keys(route.also ?? {}).map(Number)]).toContain(answer.status);
  const type = answer.headers['content-type']?.replace(/;.*/s, '');
  const types = documentedTypes(route, answer.status);
  if (!types.includes('*/*')) expect(types).toContain(type);
  if (answer.status === 204) expect(answer.text).toBe('');
  else if (route.answer !== undefined && type === 'application/json')
    expect(route.answer.safeParse(JSON.parse(answer.text)).error).toBeUndefined();
  return answer;
}

/** The media types that the OpenAPI document has for a response; undefined: it has no body. */
function documentedTypes(route: RouteDescription, status: number): (string | undefined)[] {
  const { paths } = openApiDocument([route], { tokenRequired: true });
  const { responses } = paths[route.path]?.[route.method.toLowerCase()] as {
    responses: Record<string, { content?: object }>;
  };
  const types = Object.keys(responses[status]?.content ?? {});
  return types.length === 0 ? [undefined] : types;
}

function getRoute(routes: readonly RouteDescription[], method: string, target: string): RouteDescription {
  const path = target.replace(/\?.*$/s, '');
  const fits = ({ path: pattern }: RouteDescription): boolean =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const found = routes.filter((route) => route.method === method && fits(route));
  // `/providers/test` also matches `/providers/{id}`; prefer the route without a parameter.
  const route = found.find(({ path: pattern }) => pattern === path) ?? found[0];
  if (route === undefined) throw new Error(`no route ${method} ${path} is described`);
  return route;
}

/** A server for each test of a file; every response is checked against the description of its route. */
export function useDocumentedServer() {
  const server = {} as TestServer;
  beforeEach(async () => {
    Object.assign(server, await startTestServer());
  });
  afterEach(() => server.close());

  const ask = (target: string, options?: TestRequestOptions): Promise<TestResponse> =>
    askAsDescribed(server, target, options);
  return {
    server,
    ask,
    post: (target: string, json: object = {}): Promise<TestResponse> => ask(target, { json }),
    patch: (target: string, json: object): Promise<TestResponse> => ask(target, { method: 'PATCH', json }),
    put: (target: string, json: object): Promise<TestResponse> => ask(target, { method: 'PUT', json }),
    remove: (target: string): Promise<TestResponse> => ask(target, { method: 'DELETE' }),
  };
}

/** A user message as sent by a client. */
export const userMessage = (text: string) => ({ parts: [{ type: 'text', text }] });
