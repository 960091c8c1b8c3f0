import type { Router } from '../router.ts';
import type { HttpAppOptions } from '../types.ts';

/** The servers themselves: status and actions. */
export function addMcpRoutes({ route }: Router, { servers }: HttpAppOptions): void {
  route('GET /api/mcp/servers', ({ principal }) => servers.list(principal));

  route('POST /api/mcp/servers', ({ principal, body }) => servers.add(principal, body));

  route('POST /api/mcp/test', ({ c, principal, body }) => servers.test(principal, body, c.req.raw.signal));

  route('GET /api/mcp/servers/{id}/configuration', ({ principal, params: { id } }) =>
    servers.configuration(principal, id),
  );

  route('PUT /api/mcp/servers/{id}', ({ principal, params: { id }, body }) => servers.edit(principal, id, body));

  route('GET /api/mcp/servers/{id}/plugin', ({ c, principal, params: { id } }) =>
    servers.plugin(principal, id, c.req.raw.signal),
  );

  route('PUT /api/mcp/servers/{id}/plugin', ({ c, principal, params: { id }, body }) =>
    servers.setPlugin(principal, id, body, c.req.raw.signal),
  );

  route('GET /api/mcp/servers/{id}/approval', ({ principal, params: { id } }) => servers.approval(principal, id));

  route('POST /api/mcp/servers/{id}/approval', ({ principal, params: { id }, body }) =>
    servers.approveEntry(principal, id, body),
  );

  route('PATCH /api/mcp/servers/{id}', ({ principal, params: { id }, body }) => servers.change(principal, id, body));

  route('DELETE /api/mcp/servers/{id}', ({ principal, params: { id } }) => servers.remove(principal, id));

  route('POST /api/mcp/servers/{id}/reconnect', ({ principal, params: { id } }) => servers.reconnect(principal, id));
}
