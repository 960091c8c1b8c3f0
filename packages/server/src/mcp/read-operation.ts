import type { RouteContract } from '@toolyard/protocol/schemas';
import { callMcpToolBody, routes } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { createInvalidError } from '../errors.ts';
import { plainZodError, validationText } from '../http/transport/plain-zod-error.ts';
import type { McpOperationKey, McpRequest } from './operations.ts';

type Contract = Pick<RouteContract, 'query' | 'body'>;

/** The operations without a route. */
const INTERNAL: Readonly<Record<string, Contract>> = {
  tools: {},
  resources: {},
  templates: {},
  uncheckedTest: { body: callMcpToolBody },
  skills: {},
  skillFile: { body: z.strictObject({ uri: z.string(), path: z.string() }) },
};
const ROUTES: Readonly<Record<string, RouteContract>> = routes;

/**
 * Validates a request that did not come through the router, with the schemas of its route.
 *
 * @throws ToolyardError `bad_request`
 */
export function readRequest<Key extends McpOperationKey>(key: Key, request: object): McpRequest<Key> {
  const { query, body } = INTERNAL[key] ?? ROUTES[key] ?? {};
  const hasId = key in INTERNAL || key.includes('{id}');
  const schema = z.object({
    params: z.object(hasId ? { id: z.string() } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(key === 'POST /api/mcp/servers/{id}/sign-in' ? { redirectUrl: z.string() } : {}),
  });
  const parsed = schema.safeParse({ params: {}, query: {}, ...request }, { error: plainZodError });
  // The contract under this key has validated it.
  if (parsed.success) return parsed.data as unknown as McpRequest<Key>;
  throw createInvalidError(validationText(parsed.error, 'request'));
}
