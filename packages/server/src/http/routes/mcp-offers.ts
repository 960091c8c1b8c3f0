import type { RouteQuery } from '@toolyard/protocol/schemas';
import type { Router } from '../router.ts';
import { callFromApp } from '../../mcp/call-from-app.ts';
import { testTool } from '../../mcp/check-tool-test.ts';
import type { RouteContext } from '../types.ts';

/** Tools, resources, prompts and logs of servers. */
export function addMcpOfferRoutes({ route }: Router, services: RouteContext): void {
  const { servers } = services;
  route('GET /api/mcp/servers/{id}/log', ({ principal, params: { id }, query: { after } }) =>
    servers.log(principal, id, after),
  );

  route('GET /api/mcp/servers/{id}/icon', ({ c, principal, params: { id } }) =>
    servers.icon(principal, id, c.req.raw.signal),
  );

  route('GET /api/mcp/servers/{id}/tools', async ({ principal, params: { id }, query }) =>
    pieceOf(await servers.tools(principal, id), query),
  );

  route('POST /api/mcp/servers/{id}/tools/call', ({ c, principal, params: { id }, body }) =>
    servers.call(principal, id, body, c.req.raw.signal),
  );

  route('POST /api/mcp/servers/{id}/tools/test', ({ c, principal, params: { id }, body }) =>
    testTool(services, principal, id, body, c.req.raw.signal),
  );

  route('GET /api/mcp/servers/{id}/tasks', ({ principal, params: { id } }) => servers.tasks(principal, id));

  route('POST /api/mcp/servers/{id}/tasks/result', ({ c, principal, params: { id }, body: { taskId } }) =>
    servers.taskResult(principal, id, taskId, c.req.raw.signal),
  );

  route('POST /api/mcp/servers/{id}/tasks/cancel', ({ principal, params: { id }, body: { taskId } }) =>
    servers.cancelTask(principal, id, taskId),
  );

  route('GET /api/mcp/servers/{id}/resources', async ({ principal, params: { id }, query }) =>
    pieceOf(await servers.resources(principal, id), query),
  );

  route('GET /api/mcp/servers/{id}/resources/templates', async ({ principal, params: { id }, query }) =>
    pieceOf(await servers.templates(principal, id), query),
  );

  route('POST /api/mcp/servers/{id}/resources/read', ({ c, principal, params: { id }, body }) =>
    servers.read(principal, id, body, c.req.raw.signal),
  );

  route('POST /api/mcp/servers/{id}/resources/follow', ({ principal, params: { id }, body: { uris } }) =>
    servers.followResources(principal, id, uris),
  );

  route('POST /api/mcp/servers/{id}/apps/read', ({ c, principal, params: { id }, body: { uri } }) =>
    servers.app(principal, id, uri, c.req.raw.signal),
  );

  route('POST /api/mcp/servers/{id}/apps/call', ({ c, principal, params: { id }, body }) =>
    callFromApp(services, principal, id, body, c.req.raw.signal),
  );

  route('GET /api/mcp/prompts', ({ principal }) => servers.prompts(principal));

  route('POST /api/mcp/servers/{id}/prompts/get', ({ c, principal, params: { id }, body }) =>
    servers.getPrompt(principal, id, body, c.req.raw.signal),
  );

  route('POST /api/mcp/servers/{id}/complete', ({ c, principal, params: { id }, body }) =>
    servers.complete(principal, id, body, c.req.raw.signal),
  );
}

/** A page of a list that is complete in memory; `next` is the position of the next page. */
function pieceOf<T>(
  all: readonly T[],
  { after, limit: most }: RouteQuery<'GET /api/mcp/servers/{id}/tools'>,
): { items: T[]; next?: string } {
  const end = after + most;
  return { items: all.slice(after, end), ...(end < all.length ? { next: String(end) } : {}) };
}
